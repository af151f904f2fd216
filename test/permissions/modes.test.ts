import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PERMISSION_MODES } from '../../src/contract/index.ts';
import type { AutoClassifier } from '../../src/permissions/matter.ts';
import { ground, judged, named, verdict, type Asked } from './decide.ts';

const where = await ground();
await symlink(join(where.root, 'other'), join(where.workspace, 'link'));
const bash = (command: string, asked: Asked = {}): Promise<string> => verdict(where, ['Bash', command], asked);

describe('default', () => {
  test('runs what only reads inside, and asks for the rest', async () => {
    for (const command of ['ls', 'cat a.txt src/a.ts', 'cat src/*.ts', 'grep -r x src | head -3', 'cd src && ls', 'cat < a.txt']) {
      assert.equal(await bash(command), 'allow mode default', command);
    }
    assert.equal(await verdict(where, ['Read', 'a.txt']), 'allow mode default');
    assert.equal(await verdict(where, ['WebFetch', 'https://example.com/']), 'ask mode default');
    assert.equal(await verdict(where, [named('Anything', { isReadOnly: () => true }), '']), 'ask mode default');
    for (const command of ['npm test', 'touch b', 'cat a.txt > b.txt', 'git commit -m x'])
      assert.equal(await bash(command), 'ask mode default', command);
    for (const tool of ['Edit', 'Write', 'NotebookEdit'])
      assert.equal(await verdict(where, [tool, join(where.workspace, 'a.txt')]), 'ask mode default', tool);
  });

  test('asks for a command that reads outside, or whose files only the shell knows', async () => {
    const outside = [
      'cat /etc/passwd',
      `cat ${where.root}/other/c.txt`,
      'cat ../other/c.txt',
      'cat link/c.txt',
      'cat */c.txt',
      'ls ~/.ssh',
      'cd / && ls',
      'cat < /etc/passwd',
    ];
    for (const command of [...outside, 'cat "$X"', 'cat $HOME/x', 'cd $X && cat a.txt', 'cd ..; cat c.txt']) {
      assert.equal(await bash(command), 'ask mode default', command);
    }
    assert.equal(await bash('grep "/no/such/path" a.txt'), 'allow mode default', 'what is not there is a pattern');
  });

  test('lets a sandbox see to it that a command only reads inside', async () => {
    for (const command of ['cat /etc/passwd', 'cat "$X"'])
      assert.equal(await bash(command, { policy: { sandboxed: true } }), 'allow mode default', command);
  });

  test('does not believe a tool that reads and may change something', async () => {
    const tool = named('Odd', { permissionSubjects: () => [{ kind: 'path', access: 'read', path: join(where.workspace, 'a.txt') }] });
    assert.equal(await verdict(where, [tool, '']), 'ask mode default');
  });
});

test('a call that touches nothing outside of its session runs in every mode, unless a rule is against it', async () => {
  const todo = named('Todo', { permissionSubjects: () => [] });
  for (const mode of PERMISSION_MODES) assert.equal(await verdict(where, [todo, ''], { mode }), `allow mode ${mode}`);
  assert.equal(await verdict(where, [todo, ''], { rules: { deny: ['Todo'] } }), 'deny rule');
});

describe('acceptEdits', () => {
  const mode = 'acceptEdits';

  test('edits files, and runs the commands that make, move and remove them, inside the workspace', async () => {
    for (const tool of ['Edit', 'Write', 'NotebookEdit'])
      assert.equal(await verdict(where, [tool, join(where.workspace, 'a.txt')], { mode }), `allow mode ${mode}`, tool);
    const commands = [
      'mkdir -p x/y',
      'touch x',
      'mv a.txt b.txt',
      'cp -r src x',
      'rm -f a.txt',
      'rmdir x',
      "sed -i 's/a/b/' a.txt",
      'mkdir x && touch x/y && ls',
      'ls > list.txt',
      'cd src && rm a.ts',
      'rm src/*.ts',
    ];
    for (const command of commands) assert.equal(await bash(command, { mode }), `allow mode ${mode}`, command);
  });

  test('asks for everything else that a command may do', async () => {
    const commands = [
      'npm test',
      'mkdir x && npm test',
      'touch /tmp/x',
      'cp a.txt /tmp',
      'mv a.txt ../other',
      'rm link/c.txt',
      'touch $X',
      'ls > /tmp/x',
      'ls > $X',
      "sed -i 's/a/b/w /tmp/x' a.txt",
      "sed -i 's/a/date/e' a.txt",
      'touch ~/x',
      'LD_PRELOAD=x touch y',
      'cd .. && touch x',
      'find src -delete',
      'touch "$(id)"',
    ];
    for (const command of commands) assert.equal(await bash(command, { mode }), `ask mode ${mode}`, command);
  });

  test('asks for protected files, however they are reached', async () => {
    const protectedFiles = [
      '.git/config',
      '.git/hooks/pre-commit',
      '.claude/settings.json',
      '.toolexec/x',
      '.vscode/settings.json',
      '.mcp.json',
      '.bashrc',
      'src/.envrc',
      '.GIT/config',
    ];
    for (const path of protectedFiles) assert.equal(await verdict(where, ['Write', path], { mode }), 'ask policy', path);
    for (const command of [
      'touch .git/config',
      'cp a.txt .bashrc',
      'mkdir .vscode',
      'echo x > .mcp.json',
      'cd src && touch ../.git/x',
      'rm -rf .git',
      'mv .git x',
    ]) {
      assert.equal(await bash(command, { mode }), 'ask policy', command);
    }
    assert.equal(await verdict(where, ['Read', '.git/config'], { mode }), `allow mode ${mode}`);
    assert.equal(await verdict(where, ['Write', '.gitignore'], { mode }), `allow mode ${mode}`);
  });
});

test('plan changes nothing, whatever rules allow', async () => {
  const asked = { mode: 'plan', rules: { allow: ['Bash', 'Edit'] }, policy: { sandboxed: true, autoAllowCommands: true } } as const;
  assert.equal(await bash('npm test', asked), 'deny mode plan');
  assert.equal(await verdict(where, ['Edit', 'a.txt'], asked), 'deny mode plan');
  assert.equal(await bash('ls', asked), 'allow mode plan');
});

test('bypassPermissions runs all, but what rules ask for and removals of everything', async () => {
  const mode = 'bypassPermissions';
  for (const command of ['npm test', 'echo x > .git/config', 'c=ls; $c', `echo ${'x'.repeat(20_000)}`])
    assert.equal(await bash(command, { mode }), `allow mode ${mode}`, command.slice(0, 50));
  assert.equal(await verdict(where, ['Write', '.git/config'], { mode }), `allow mode ${mode}`);
  assert.equal(
    await bash(`echo ${'x'.repeat(20_000)}`, { mode, rules: { deny: ['Bash(curl:*)'] } }),
    'ask rule',
    'whether it runs curl is not known',
  );
});

describe('auto', () => {
  const auto = (judge: AutoClassifier['judge'], rules: Asked['rules'] = {}): Asked => ({
    mode: 'auto',
    rules,
    policy: { classifier: { judge } },
  });

  test('goes by the classifier, which sees what the tool shows of the call', async () => {
    const seen: string[] = [];
    const says = (verdictOf: 'allow' | 'deny' | 'unsure'): Asked =>
      auto((text) => {
        seen.push(text);
        return Promise.resolve(verdictOf);
      });
    assert.equal(await bash('npm test', says('allow')), 'allow mode auto');
    assert.equal(await bash('npm publish', says('deny')), 'deny mode auto');
    assert.equal(await bash('npm i', says('unsure')), 'ask mode auto');
    assert.equal(await bash('ls', says('deny')), 'allow mode auto', 'what only reads is not worth a question');
    assert.deepEqual(seen, ['npm test', 'npm publish', 'npm i']);
  });

  test('asks when there is no classifier, when it fails, and for what a tool does not show', async () => {
    assert.equal(await bash('npm test', { mode: 'auto' }), 'ask mode auto');
    assert.equal(
      await bash(
        'npm test',
        auto(() => Promise.reject(new Error('unreachable'))),
      ),
      'ask mode auto',
    );
    assert.equal(
      await verdict(
        where,
        [named('Hidden'), ''],
        auto(() => Promise.resolve('allow')),
      ),
      'ask mode auto',
    );
  });

  test('never lets the classifier past rules, and lets rules allow what it does not know', async () => {
    const yes: AutoClassifier['judge'] = () => Promise.resolve('allow');
    assert.equal(await bash('npm test', auto(yes, { deny: ['Bash(npm:*)'] })), 'deny rule');
    assert.equal(await bash('npm test', auto(yes, { ask: ['Bash(npm:*)'] })), 'ask rule');
    assert.equal(
      await bash(
        'npm test',
        auto(() => Promise.resolve('unsure'), { allow: ['Bash(npm test)'] }),
      ),
      'allow rule',
    );
  });
});

describe('a sandbox that works', () => {
  const policy = { sandboxed: true, autoAllowCommands: true };

  test('saves the question for commands, in default and acceptEdits alone', async () => {
    for (const mode of ['default', 'acceptEdits'] as const)
      assert.equal(await bash('npm test > /tmp/log', { mode, policy }), 'allow sandbox');
    assert.equal(await bash('npm test', { mode: 'dontAsk', policy }), 'deny mode dontAsk');
    assert.equal(await bash('npm test', { policy: { ...policy, autoAllowCommands: false } }), 'ask mode default');
    assert.equal(await bash('npm test', { policy: { ...policy, autoAllowCommands: false } }), 'ask mode default');
    assert.equal(await verdict(where, ['WebFetch', 'https://example.com/'], { policy }), 'ask mode default');
  });

  test('leaves rules, protected files and lines that are not understood as they are', async () => {
    assert.equal(await bash('npm publish', { policy, rules: { deny: ['Bash(npm publish)'] } }), 'deny rule');
    assert.equal(await bash('npm publish', { policy, rules: { ask: ['Bash(npm publish)'] } }), 'ask rule');
    assert.equal(await bash('cat .env', { policy, rules: { deny: ['Read(.env)'] } }), 'deny rule');
    assert.equal(await bash('echo x > .bashrc', { policy }), 'ask policy');
    assert.equal(await bash('rm -rf .', { policy }), 'ask policy');
    assert.equal(await bash('echo "', { policy }), 'ask mode default');
  });

  test('holds the files that rules deny, so that unknown names need no question', async () => {
    const rules = { deny: ['Read(.env)'] };
    assert.equal(await bash('cat "$X"', { policy, rules }), 'allow mode default');
    assert.equal(await bash('cat "$X"', { rules }), 'ask rule');
  });
});

test('a reason tells the model what it can do, and never to change the mode', async () => {
  for (const mode of PERMISSION_MODES) {
    for (const call of [
      ['Read', '/etc/passwd'],
      ['Write', '/etc/passwd'],
      ['Bash', 'npm x'],
      ['Edit', 'a.txt'],
    ] as const) {
      const { behavior, reason = '' } = await judged(where, call, { mode });
      if (behavior === 'allow') continue;
      assert.match(reason, behavior === 'deny' ? /tell the user/ : /\w+\.$/);
      assert.doesNotMatch(
        reason.replace(`(mode ${mode})`, ''),
        new RegExp(
          PERMISSION_MODES.filter((each) => each.length > 4)
            .join('|')
            .replace('default|', ''),
        ),
      );
    }
  }
});
