import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { PERMISSION_MODES, type Tool } from '../../src/contract/index.ts';
import { ground, judged, named, verdict } from './decide.ts';

const where = await ground();

describe('who decides', () => {
  test('a deny rule wins over every other rule, hook and mode, whoever made it', async () => {
    const rules = { deny: ['Bash(npm publish:*)'], allow: ['Bash'], ask: ['Bash(npm:*)'] };
    for (const mode of PERMISSION_MODES) {
      const judgement = await judged(where, ['Bash', 'npm publish'], { mode, rules, hook: { behavior: 'allow' } });
      assert.deepEqual([judgement.behavior, judgement.decided_by, judgement.rule], ['deny', 'rule', 'Bash(npm publish:*)'], mode);
    }
    assert.equal(await verdict(where, ['Bash', 'ls'], { operator: { deny: ['Bash'] }, rules: { allow: ['Bash'] } }), 'deny rule');
    assert.equal(await verdict(where, ['Bash', 'ls'], { rules: { deny: ['Bash'] }, operator: { allow: ['Bash'] } }), 'deny rule');
  });

  test('an ask rule wins over what allows, also in bypassPermissions and over a hook', async () => {
    const rules = { allow: ['Bash'], ask: ['Bash(git push:*)'] };
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions', 'auto'] as const) {
      const judgement = await judged(where, ['Bash', 'git push'], { mode, rules, hook: { behavior: 'allow' } });
      assert.deepEqual([judgement.behavior, judgement.decided_by, judgement.rule], ['ask', 'rule', 'Bash(git push:*)'], mode);
      assert.equal(judgement.suggestions, undefined, 'no rule could change that');
    }
  });

  test("a hook's allow skips the question of the mode, and its deny and ask stand", async () => {
    const edit = ['Edit', 'a.txt'] as const;
    assert.equal(await verdict(where, edit), 'ask mode default');
    assert.equal(await verdict(where, edit, { hook: { behavior: 'allow' } }), 'allow hook');
    assert.equal(await verdict(where, edit, { hook: { behavior: 'ask' }, mode: 'bypassPermissions' }), 'ask hook');
    const denied = await judged(where, edit, { hook: { behavior: 'deny', reason: 'Not on Fridays.' }, mode: 'bypassPermissions' });
    assert.deepEqual(denied, { behavior: 'deny', decided_by: 'hook', reason: 'Not on Fridays.' });
  });

  test("a hook's allow opens nothing outside, no protected file, and nothing in plan mode", async () => {
    const hook = { behavior: 'allow' } as const;
    assert.equal(await verdict(where, ['Read', '/etc/passwd'], { hook }), 'deny policy');
    assert.equal(await verdict(where, ['Write', '.git/config'], { hook }), 'ask policy');
    assert.equal(await verdict(where, ['Bash', `rm -rf ${where.workspace}`], { hook }), 'ask policy');
    assert.equal(await verdict(where, ['Write', 'a.txt'], { hook, mode: 'plan' }), 'deny mode plan');
  });

  test("a tool's own no and its own question hold before the mode and allow rules", async () => {
    const rules = { allow: ['Leave'] };
    const asks = named('Leave', { checkPermissions: () => ({ behavior: 'ask', reason: 'Is it wanted?' }) });
    const denies = named('Leave', { checkPermissions: () => ({ behavior: 'deny', reason: 'Never.' }) });
    for (const mode of ['default', 'bypassPermissions'] as const) {
      assert.deepEqual(await judged(where, [asks, ''], { mode, rules }), { behavior: 'ask', decided_by: 'tool', reason: 'Is it wanted?' });
      assert.deepEqual(await judged(where, [denies, ''], { mode, rules }), { behavior: 'deny', decided_by: 'tool', reason: 'Never.' });
    }
    assert.equal(await verdict(where, [asks, ''], { rules: { deny: ['Leave'] } }), 'deny rule');
  });

  test('an input that the tool itself changes is judged as changed, and handed on', async () => {
    const moved = (to: string): Tool =>
      named('Move', {
        permissionSubjects: (input) => [
          { kind: 'path', access: 'write', path: join(where.workspace, (input as { to?: string }).to ?? 'a.txt') },
        ],
        checkPermissions: () => ({ behavior: 'allow', input: { to } }),
      });
    const asked = { mode: 'acceptEdits', rules: { deny: ['Edit(.env)'] } } as const;
    const allowed = await judged(where, [moved('b.txt'), ''], asked);
    assert.deepEqual([allowed.behavior, allowed.input], ['allow', { to: 'b.txt' }]);
    assert.equal(await verdict(where, [moved('.env'), ''], asked), 'deny rule');
    assert.equal(await verdict(where, [moved('../x'), ''], asked), 'deny policy');
  });

  test('dontAsk denies what would be asked, tells why, and runs the rest', async () => {
    const mode = 'dontAsk';
    const denied = await judged(where, ['Bash', 'npm publish'], { mode });
    assert.equal(denied.decided_by, 'mode dontAsk');
    assert.match(denied.reason ?? '', /No rule allows this call of Bash\. This session \(mode dontAsk\) asks nobody/);
    assert.equal(
      await verdict(where, ['Bash', 'git push'], { mode, rules: { ask: ['Bash(git push)'], allow: ['Bash'] } }),
      'deny mode dontAsk',
    );
    assert.equal(await verdict(where, ['Bash', 'npm publish'], { mode, rules: { allow: ['Bash(npm publish)'] } }), 'allow rule');
    assert.equal(await verdict(where, ['Read', 'a.txt'], { mode }), 'allow mode dontAsk');
  });
});

describe("outside of the session's directories", () => {
  before(() => symlink(join(where.root, 'other'), join(where.workspace, 'link')));

  test('nothing that a client says opens a file, in any mode', async () => {
    const target = join(where.root, 'other/c.txt');
    for (const path of [target, join(where.workspace, 'link/c.txt'), join(where.workspace, '../other/c.txt')]) {
      for (const mode of PERMISSION_MODES) {
        const rules = { allow: ['Read', `Read(/${target})`, 'Edit', `Edit(/${target})`, 'Read(/link/**)', 'Edit(/link/**)'] };
        assert.equal(await verdict(where, ['Read', path], { mode, rules }), 'deny policy', `${mode} ${path}`);
        assert.equal(await verdict(where, ['Write', path], { mode, rules }), 'deny policy', `${mode} ${path}`);
      }
    }
  });

  test("the operator's rule opens what it names, by each way that leads there and is named", async () => {
    const target = join(where.root, 'other/c.txt');
    const operator = { allow: [`Read(/${target})`] };
    assert.equal(await verdict(where, ['Read', target], { operator }), 'allow rule');
    assert.equal(await verdict(where, ['Write', target], { operator }), 'deny policy');
    assert.equal(await verdict(where, ['Read', 'link/c.txt'], { operator }), 'deny policy', 'the link is not allowed');
    assert.equal(await verdict(where, ['Read', 'link/c.txt'], { operator, rules: { allow: ['Read(/link/**)'] } }), 'allow rule');
    assert.equal(await verdict(where, ['Read', target], { operator, rules: { deny: ['Read(//**/c.txt)'] } }), 'deny rule');
    assert.equal(await verdict(where, ['Read', target], { operator: { allow: ['Read'] } }), 'deny policy', 'a bare rule names no place');
  });

  test('additional directories are read and edited like the workspace', async () => {
    const more = join(where.root, 'more');
    await mkdir(more);
    const context = { readableRoots: [where.workspace, more], writableRoots: [where.workspace, more] };
    assert.equal(await verdict(where, ['Read', join(more, 'x')], { context }), 'allow mode default');
    assert.equal(await verdict(where, ['Write', join(more, 'x')], { context, mode: 'acceptEdits' }), 'allow mode acceptEdits');
    assert.equal(await verdict(where, ['Write', `${more}2/x`], { context, mode: 'acceptEdits' }), 'deny policy');
    assert.equal(await verdict(where, ['Read', join(more, 'deep/.env')], { context, rules: { deny: ['Read(.env)'] } }), 'deny rule');
  });

  test("outputs may be read and never written, and the service's own files neither", async () => {
    const outputs = join(where.dataDir, 'outputs');
    await mkdir(outputs);
    const context = { readableRoots: [where.workspace, outputs], writableRoots: [where.workspace] };
    assert.equal(await verdict(where, ['Read', join(outputs, 'x')], { context }), 'allow mode default');
    assert.equal(await verdict(where, ['Write', join(outputs, 'x')], { context, mode: 'bypassPermissions' }), 'deny policy');
    const operator = { allow: [`Edit(/${where.dataDir}/**)`] };
    assert.equal(await verdict(where, ['Write', join(where.dataDir, 'toolexec.sqlite')], { operator }), 'ask policy');
  });
});
