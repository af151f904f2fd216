import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PermissionMode } from '../../src/contract/index.ts';
import { ground, judged, named, verdict, type Asked } from './decide.ts';
import { NO_RULES, testPolicy } from './test-policy.ts';

const where = await ground();

/** A session that has begun to use a skill of the operator's with these rules. */
function granted(grants: readonly string[], { mode = 'default', ...more }: Asked = {}): Asked {
  const state = { cwd: where.workspace, mode, todos: [], loadedTools: [], grants };
  return { ...more, mode, context: { state } };
}

describe('a rule that a skill of the operator has brought', () => {
  test('lets calls run that would be asked for, and no others', async () => {
    const asked = granted(['Bash(npm run:*)', 'WebFetch(domain:example.com)']);
    assert.equal(await verdict(where, ['Bash', 'npm run build'], asked), 'allow rule');
    assert.equal(await verdict(where, ['WebFetch', 'https://example.com/'], asked), 'allow rule');
    assert.equal(await verdict(where, ['Bash', 'npm publish'], asked), 'ask mode default');
    assert.equal(await verdict(where, ['Bash', 'npm run build && npm publish'], asked), 'ask mode default');
    assert.equal(await verdict(where, ['Bash', 'npm run build']), 'ask mode default', 'in another session');
    assert.deepEqual((await judged(where, ['Bash', 'npm run build'], asked)).rule, 'Bash(npm run:*)');
  });

  test('says nothing against rules that deny or ask, whoever gave them', async () => {
    const asked = (more: Asked) => granted(['Bash(npm run:*)', 'Edit'], more);
    assert.equal(await verdict(where, ['Bash', 'npm run build'], asked({ rules: { deny: ['Bash(npm:*)'] } })), 'deny rule');
    assert.equal(await verdict(where, ['Bash', 'npm run build'], asked({ rules: { ask: ['Bash'] } })), 'ask rule');
    assert.equal(await verdict(where, ['Bash', 'npm run build'], asked({ operator: { ask: ['Bash'] } })), 'ask rule');
    assert.equal(await verdict(where, ['Edit', 'a.txt'], asked({ mode: 'plan' })), 'deny mode plan');
  });

  test('allows nothing that needs a question in any case', async () => {
    const asked = granted(['Bash', 'Edit', 'Asks']);
    const asks = named('Asks', { checkPermissions: () => ({ behavior: 'ask', reason: 'It is dear.' }) });
    assert.equal(await verdict(where, [asks, ''], asked), 'ask tool');
    assert.equal(await verdict(where, ['Bash', 'rm -rf /'], asked), 'ask policy');
    assert.equal(await verdict(where, ['Edit', join(where.workspace, '.git/config')], asked), 'ask policy');
  });

  test('starts its paths where the rules of the operator do', async () => {
    const operator = { source: join(where.workspace, 'src') };
    assert.equal(await verdict(where, ['Edit', 'src/a.ts'], granted(['Edit(/a.ts)'], { operator })), 'allow rule');
    assert.equal(await verdict(where, ['Edit', 'src/a.ts'], granted(['Edit(/a.ts)'])), 'ask mode default');
  });

  test('allows nothing when it cannot be read, and costs no other one', async () => {
    const asked = granted(['Bash(', '', '*', 'Bash(npm run:*)']);
    assert.equal(await verdict(where, ['Bash', 'npm run build'], asked), 'allow rule');
    assert.equal(await verdict(where, ['Bash', 'npm publish'], asked), 'ask mode default');
  });

  test('holds from the call on behind the one that has brought it', async () => {
    const policy = testPolicy({ session: NO_RULES });
    const tool = named('Tool');
    const decide = async (grants: readonly string[]) => {
      const state = { cwd: where.workspace, mode: 'default' as const, todos: [], loadedTools: [], grants };
      const call = { toolUseId: 'toolu_1', tool, input: {}, readOnly: false };
      return (await policy.decide(call, { sessionId: 'ses_1', workspace: where.workspace, env: {}, state })).behavior;
    };
    const none: readonly string[] = [];
    assert.deepEqual([await decide(none), await decide(['Tool']), await decide(none)], ['ask', 'allow', 'ask']);
  });
});

test('what is the session’s own is used in every mode, unless a rule is against it', async () => {
  const skill = named('Skill', { isReadOnly: () => true, permissionSubjects: () => [{ kind: 'other', text: 'deploy', own: true }] });
  const modes: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto'];
  for (const mode of modes) {
    assert.equal(await verdict(where, [skill, ''], { mode }), `allow mode ${mode}`);
    assert.equal(await verdict(where, [skill, ''], { mode, rules: { deny: ['Skill(dep*)'] } }), 'deny rule');
    assert.equal(await verdict(where, [skill, ''], { mode, rules: { deny: ['Skill(test)'] } }), `allow mode ${mode}`);
  }
  assert.equal(await verdict(where, [skill, ''], { rules: { ask: ['Skill(deploy)'] } }), 'ask rule');
});

describe('a program that rules cannot read', () => {
  const script = (text: string, asked: Asked = {}) => {
    const tool = named('Script', { permissionSubjects: () => [{ kind: 'other', text, code: true }] });
    return verdict(where, [tool, ''], asked);
  };
  const hidden = [
    'Get-ChildItem; Remove-Item x',
    'Get-ChildItem | Remove-Item',
    'Get-ChildItem\nRemove-Item x',
    'Get-ChildItem\rRemove-Item x',
    'Get-ChildItem $(Remove-Item x)',
    'Get-ChildItem (Remove-Item x)',
    'Get-ChildItem `\n; Remove-Item x',
    'Get-ChildItem & Remove-Item x',
    'Get-ChildItem && Remove-Item x',
    'Get-ChildItem { Remove-Item x }',
    'Get-ChildItem > Remove-Item',
    'Get-ChildItem "$(Remove-Item x)"',
    'Get-ChildItem # \u2028Remove-Item x',
  ];

  test('is allowed by a rule with a star only where it is one plain command', async () => {
    for (const rule of ['Script(Get-ChildItem*)', 'Script(Get-ChildItem *)', 'Script(Get-ChildItem:*)']) {
      const rules = { allow: [rule] };
      for (const text of ['Get-ChildItem -Path src', 'Get-ChildItem "a b" -Force', 'Get-ChildItem .\\src\\*.ts'])
        assert.equal(await script(text, { rules }), 'allow rule', `${rule}: ${text}`);
      for (const text of [...hidden, 'Remove-Item x', 'x; Get-ChildItem', 'Get-ChildItem $x', 'Get-ChildItem @x'])
        assert.equal(await script(text, { rules }), 'ask mode default', `${rule}: ${text}`);
    }
    assert.equal(await script('Get-ChildItemEvil', { rules: { allow: ['Script(Get-ChildItem:*)'] } }), 'ask mode default');
  });

  test('is allowed by a rule without a star when it is the very same', async () => {
    const rules = { allow: ['Script(Get-ChildItem; Remove-Item x)'] };
    assert.equal(await script('Get-ChildItem; Remove-Item x', { rules }), 'allow rule');
    assert.equal(await script('Get-ChildItem; Remove-Item y', { rules }), 'ask mode default');
    assert.equal(await script('anything; at | all', { rules: { allow: ['Script'] } }), 'allow rule');
  });

  test('is denied wherever a rule finds what it says, in whatever case', async () => {
    for (const rule of ['Script(Remove-Item*)', 'Script(Remove-Item:*)', 'Script(Remove-Item)', 'Script(remove-item *)']) {
      const rules = { allow: ['Script'], deny: [rule] };
      for (const text of [
        ...hidden,
        'REMOVE-ITEM x',
        'Microsoft.PowerShell.Management\\Remove-Item x',
        'Invoke-Expression "Remove-Item x"',
      ])
        assert.equal(await script(text, { rules, mode: 'bypassPermissions' }), 'deny rule', `${rule}: ${text}`);
    }
    const short = { rules: { allow: ['Script'], deny: ['Script(rm)', 'Script(Get-*secret*)'] } };
    assert.equal(await script('Format-Table', short), 'allow rule', 'no part of a longer name');
    assert.equal(await script('Get-Content a.secret.txt', short), 'deny rule');
    assert.equal(await script('Get-Content a.txt', short), 'allow rule');
  });

  test('is asked for where what a rule forbids may be hidden in it', async () => {
    const asked: Asked = { rules: { allow: ['Script'], deny: ['Script(Remove-Item*)'] }, mode: 'bypassPermissions' };
    for (const text of ['Re`move-Item x', "& ('Remove' + '-Item') x", 'ri x', 'iex $x', 'R"emove-Item" x'])
      assert.equal(await script(text, asked), 'ask rule', text);
    for (const text of ['Start-Process pwsh -ArgumentList -enc,cgBpACAAeAA=', 'Start-Job -FilePath x.ps1', 'Import-Module ./x.psm1'])
      assert.equal(await script(text, asked), 'ask rule', text);
    for (const text of ['Get-ChildItem -Path src', 'New-Item x', 'set-content -Path x -Value y'])
      assert.equal(await script(text, asked), 'allow mode bypassPermissions', text);
  });

  test('is a command to rules that forbid commands, and may read what rules forbid to read', async () => {
    assert.equal(await script('git push origin', { rules: { allow: ['Script'], deny: ['Bash(git push:*)'] } }), 'deny rule');
    assert.equal(await script('Get-Date', { rules: { allow: ['Script'], deny: ['Bash'] } }), 'deny rule');
    const rules = { allow: ['Script'], deny: ['Read(.env)'] };
    assert.equal(await script('Get-Content x', { rules }), 'ask rule');
    assert.equal(await script('Get-Content x', { rules, policy: { sandboxed: true } }), 'allow rule', 'a sandbox holds it');
  });

  test('is asked for when it names what decides which programs run', async () => {
    const rules = { allow: ['Script(Set-Content*)'] };
    assert.equal(await script('Set-Content .git/hooks/pre-commit x', { rules }), 'ask policy');
    assert.equal(await script('Set-Content .GIT\\config x', { rules }), 'ask policy');
    assert.equal(await script('Set-Content a.txt x', { rules }), 'allow rule');
  });
});
