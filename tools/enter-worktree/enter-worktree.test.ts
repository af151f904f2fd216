import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { createCommandReader } from '../../src/shell/command-parts.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { testPolicy } from '../../test/permissions/test-policy.ts';
import { toolHarness, type ToolHarness } from '../../test/support/tool-harness.ts';
import EnterWorktree from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

const NO_SETTINGS = { PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

interface Project extends ToolHarness {
  readonly git: (...args: string[]) => string;
}

async function project(t: TestContext, options = {}): Promise<Project> {
  return furnish(await toolHarness(t), options);
}

async function furnish(harness: ToolHarness, { commits = true } = {}): Promise<Project> {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: harness.workspace, env: NO_SETTINGS, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  for (const name of ['name', 'email']) git('config', `user.${name}`, 'somebody@localhost');
  await writeFile(join(harness.workspace, 'file'), 'committed\n');
  if (commits) {
    git('add', 'file');
    git('commit', '-q', '-m', 'first');
  }
  return Object.assign(harness, { git });
}

describe('EnterWorktree', () => {
  test('makes a working copy on a branch of its own, and goes there', async (t) => {
    const harness = await project(t);
    await writeFile(join(harness.workspace, 'file'), 'changed\n');
    const { text, result } = await harness.call(EnterWorktree, { name: 'fix.login_2' });
    const path = join(harness.workspace, '.worktrees/fix.login_2');
    assert.equal(harness.state.cwd, path);
    assert.deepEqual(result.output, { name: 'fix.login_2', path, branch: 'worktree-fix.login_2' });
    assert.match(text, /^Made the worktree .*\/fix\.login_2 on the new branch worktree-fix\.login_2\./);
    assert.equal(await readFile(join(path, 'file'), 'utf8'), 'committed\n');
    assert.match(harness.git('worktree', 'list'), /fix\.login_2 +\w+ \[worktree-fix\.login_2\]/);
    assert.ok(!existsSync(join(harness.outputs, 'call-1.txt')), 'nothing is left behind');
  });

  test('starts in the workspace, wherever in it the session is', async (t) => {
    const harness = await project(t);
    const inner = join(harness.workspace, "it's");
    await mkdir(inner);
    execFileSync('git', ['init', '-q'], { cwd: inner });
    harness.state = { ...harness.state, cwd: inner };
    await harness.call(EnterWorktree, { name: 'a' });
    assert.equal(harness.state.cwd, join(harness.workspace, '.worktrees/a'));
  });

  test('has a name of the session’s own when none is given', async (t) => {
    const harness = await project(t);
    await harness.call(EnterWorktree, {});
    assert.equal(harness.state.cwd, join(harness.workspace, '.worktrees/session-sestest'));
  });

  test('says what is in the way', async (t) => {
    const harness = await project(t);
    harness.git('branch', 'worktree-taken');
    await mkdir(join(harness.workspace, '.worktrees/there'), { recursive: true });
    await writeFile(join(harness.workspace, '.worktrees/there/file'), 'x');
    await assert.rejects(harness.call(EnterWorktree, { name: 'taken' }), /There is a branch worktree-taken already: choose another name/);
    await assert.rejects(harness.call(EnterWorktree, { name: 'there' }), /There is something at .*\/there already/);
    assert.equal(harness.git('branch', '--list', 'worktree-there'), '');
    await harness.call(EnterWorktree, { name: 'a' });
    await assert.rejects(harness.call(EnterWorktree, { name: 'b' }), /in the worktree a already: leave it with ExitWorktree first/);
  });

  test('needs a repository with a commit', async (t) => {
    const none = await toolHarness(t);
    await assert.rejects(none.call(EnterWorktree, { name: 'a' }), /The workspace is no git repository/);
    const empty = await project(t, { commits: false });
    await assert.rejects(empty.call(EnterWorktree, { name: 'a' }), /has no commit yet/);
  });

  test('is never led out of the workspace by a link', async (t) => {
    const harness = await project(t);
    const outside = join(harness.outputs, 'outside');
    await mkdir(outside);
    await symlink(outside, join(harness.workspace, '.worktrees'));
    await assert.rejects(harness.call(EnterWorktree, { name: 'a' }), /is a link to another place/);
    assert.ok(!existsSync(join(outside, 'a')));
    assert.equal(harness.state.cwd, harness.workspace);
  });
});

describe('the permission for a worktree', () => {
  const context = (cwd: string) =>
    ({ sessionId: 'ses_1', workspace: "/w o'k", env: {}, state: { cwd, mode: 'default', todos: [], loadedTools: [] } }) as const;

  test('is that for the very line which runs', () => {
    const subjects = (cwd: string) => EnterWorktree.permissionSubjects({ name: 'a' }, context(cwd));
    assert.deepEqual(subjects("/w o'k"), [
      { kind: 'command', command: String.raw`git worktree add -b worktree-a '/w o'\''k/.worktrees/a'` },
    ]);
    const [elsewhere] = subjects("/w o'k/src");
    assert.deepEqual(elsewhere, {
      kind: 'command',
      command: String.raw`cd '/w o'\''k' && git worktree add -b worktree-a '/w o'\''k/.worktrees/a'`,
    });
    const reading = createCommandReader(isReadOnlyCommand).read(elsewhere?.kind === 'command' ? elsewhere.command : '');
    assert.deepEqual(
      reading.parts.map(({ words }) => words.map(({ value }) => value)),
      [
        ['cd', "/w o'k"],
        ['git', 'worktree', 'add', '-b', 'worktree-a', "/w o'k/.worktrees/a"],
      ],
    );
  });

  test('follows the rules and modes of commands', async () => {
    const verdict = async (mode: 'default' | 'plan' | 'bypassPermissions', rules: { allow?: string[]; deny?: string[] } = {}) => {
      const call = { toolUseId: 'toolu_1', tool: EnterWorktree, input: { name: 'a' }, readOnly: false };
      const policy = testPolicy({ session: { allow: [], ask: [], deny: [], ...rules } });
      return (await policy.decide(call, { ...context("/w o'k"), state: { ...context("/w o'k").state, mode } })).behavior;
    };
    assert.equal(await verdict('default'), 'ask');
    assert.equal(await verdict('plan'), 'deny');
    assert.equal(await verdict('bypassPermissions'), 'allow');
    assert.equal(await verdict('default', { allow: ['Bash(git worktree:*)'] }), 'allow');
    assert.equal(await verdict('bypassPermissions', { deny: ['Bash(git worktree:*)'] }), 'deny');
    assert.equal(await verdict('bypassPermissions', { deny: ['EnterWorktree'] }), 'deny');
  });

  test('is asked for names alone that are no more than names', async () => {
    const { inputSchema } = EnterWorktree;
    const accepts = async (name: string): Promise<boolean> =>
      'safeParse' in inputSchema && typeof inputSchema.safeParse === 'function' && inputSchema.safeParse({ name }).success
        ? (await EnterWorktree.validateInput?.({ name }))?.ok === true
        : false;
    for (const name of ['a', 'fix-1.2_x', 'a'.repeat(64)]) assert.equal(await accepts(name), true, name);
    for (const name of ['', '-a', '.a', 'A', 'a b', 'a/b', "a'b", 'a\n', 'a..b', 'a.', 'a.lock', 'a'.repeat(65)])
      assert.equal(await accepts(name), false, name);
  });
});

toolSuite({ tool: EnterWorktree, input: { name: 'fix.login_2' }, furnish: (harness) => furnish(harness) });
