// What tools say that they touch, beside files and commands: the session itself, a text, a program in another language, a host.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Tool } from '../../src/contract/index.ts';
import { parseRules } from '../../src/permissions/rules/parse-rules.ts';
import { toolDenier } from '../../src/permissions/rules/rule-matcher.ts';
import { ground, judged, named, verdict } from './decide.ts';
import { NO_RULES } from './test-policy.ts';

type Subject = ReturnType<Tool['permissionSubjects']>[number];

const where = await ground();
const { workspace } = where;

function touching(name: string, subjects: readonly Subject[], readOnly = false): Tool {
  return named(name, { permissionSubjects: () => subjects, isReadOnly: () => readOnly });
}

describe('a tool of the session itself', () => {
  const own: Subject = { kind: 'other', own: true };

  test('runs in every mode, and a rule against it still holds', async () => {
    const notes = touching('Notes', [own]);
    for (const mode of ['default', 'plan', 'acceptEdits'] as const)
      assert.equal(await verdict(where, [notes, ''], { mode }), `allow mode ${mode}`);
    assert.equal(await verdict(where, [notes, ''], { rules: { deny: ['Notes'] } }), 'deny rule');
    assert.equal(await verdict(where, [notes, ''], { rules: { ask: ['Notes'] } }), 'ask rule');
  });

  test('may read the files of the session as well, and is asked about when it writes one', async () => {
    const path = join(workspace, 'a.txt');
    const reads = touching('Notes', [own, { kind: 'path', access: 'read', path }], true);
    const writes = touching('Notes', [own, { kind: 'path', access: 'write', path }]);
    assert.equal(await verdict(where, [reads, '']), 'allow mode default');
    assert.equal(await verdict(where, [writes, '']), 'ask mode default');
    assert.equal(await verdict(where, [writes, ''], { mode: 'plan' }), 'deny mode plan');
  });
});

describe('a tool that changes something elsewhere', () => {
  test('is denied in plan mode and asked about in others', async () => {
    const sends = touching('Send', [{ kind: 'other', text: 'mail' }]);
    assert.equal(await verdict(where, [sends, ''], { mode: 'plan' }), 'deny mode plan');
    assert.equal(await verdict(where, [sends, '']), 'ask mode default');
    assert.equal(await verdict(where, [touching('Look', [{ kind: 'other', text: 'x' }], true), ''], { mode: 'plan' }), 'ask mode plan');
  });

  test('is allowed by the text in brackets, and by no longer one', async () => {
    const rules = { allow: ['Send(mail *)'] };
    assert.equal(await verdict(where, [touching('Send', [{ kind: 'other', text: 'mail me' }]), ''], { rules }), 'allow rule');
    assert.equal(await verdict(where, [touching('Send', [{ kind: 'other', text: 'email me' }]), ''], { rules }), 'ask mode default');
    assert.equal(await verdict(where, [touching('Other', [{ kind: 'other', text: 'mail me' }]), ''], { rules }), 'ask mode default');
  });
});

describe('a program that nobody here reads', () => {
  const script = (text: string): readonly [Tool, string] => [touching('Script', [{ kind: 'other', text, code: true }]), ''];
  const denied = (rule: string) => ({ mode: 'bypassPermissions', rules: { deny: [rule] } }) as const;

  test('is denied when what is denied stands in it as a word of its own', async () => {
    for (const text of ['Remove-Item x', 'a; remove-item x', 'x | REMOVE-ITEM', '$(Remove-Item   x)'])
      assert.equal(await verdict(where, script(text), denied('Script(Remove-Item:*)')), 'deny rule', text);
  });

  test('is free when that is part of a longer name, and asked about when it may be hidden', async () => {
    assert.equal(await verdict(where, script('Get-Item x'), denied('Script(Item:*)')), 'allow mode bypassPermissions');
    assert.equal(await verdict(where, script('Get-Items x'), denied('Script(Get-Item)')), 'allow mode bypassPermissions');
    for (const text of ['iex $x', '& $x', 'gci x', 'Invoke-Thing x', 'Get-Item $x', 'Get-Item x; y'])
      assert.equal(await verdict(where, script(text), denied('Script(Remove-Item:*)')), 'ask rule', text);
  });

  test('is allowed by a star as one plain command only', async () => {
    const rules = { allow: ['Script(Get-Item:*)'] };
    assert.equal(await verdict(where, script('Get-Item x'), { rules }), 'allow rule');
    for (const text of ['Get-Item x; y', 'Get-Item $x', 'Get-Item (y)', 'Get-Item x | y', 'Get-Item x > y', 'Get-Items x'])
      assert.equal(await verdict(where, script(text), { rules }), 'ask mode default', text);
  });
});

describe('a host', () => {
  const fetches = (url: string) => ['WebFetch', url] as const;

  test('that is public only looks like a private one', async () => {
    const rules = { allow: ['WebFetch(domain:*)', 'WebFetch(domain:*.example.com)'] };
    for (const host of ['local.example.com', 'localhost.example.com', 'lan.example.com', 'mylocal.example.com'])
      assert.equal(await verdict(where, fetches(`https://${host}/`), { rules }), 'allow rule', host);
  });

  test('that is private is opened by no rule of the session', async () => {
    const hosts = [
      'localhost',
      'x.localhost',
      'a.internal',
      'a.local',
      'a.lan',
      'a.home.arpa',
      'a.onion',
      '127.0.0.1',
      'intranet',
      '[::1]',
    ];
    for (const host of hosts)
      assert.equal(
        await verdict(where, fetches(`http://${host}/`), { rules: { allow: ['WebFetch(domain:*)', `WebFetch(domain:*.${host})`] } }).catch(
          String,
        ),
        'ask mode default',
        host,
      );
  });

  test('of no URL of the web is allowed by no domain, and denied by each', async () => {
    for (const url of ['ftp://example.com/', 'file:///etc/hosts', 'data:text/plain,x', 'no url']) {
      assert.equal(await verdict(where, fetches(url), { rules: { allow: ['WebFetch(domain:example.com)'] } }), 'ask mode default', url);
      assert.equal(await verdict(where, fetches(url), { rules: { deny: ['WebFetch(domain:other.com)'] } }), 'deny rule', url);
    }
  });
});

describe('rules', () => {
  test('that allow a directory of the workspace hold for no other directory of that name', async () => {
    const asked = { rules: { allow: ['Edit(src/**)', 'Edit(/out/**)'] } };
    assert.equal(await verdict(where, ['Edit', 'src/a.ts'], asked), 'allow rule');
    assert.equal(await verdict(where, ['Edit', 'out/a'], asked), 'allow rule');
    for (const path of ['deep/src/a.ts', 'src2/a.ts', 'deep/out/a', 'src'])
      assert.equal(await verdict(where, ['Edit', path], asked), 'ask mode default', path);
  });

  test('that allow or ask take no tool out of the pool', () => {
    const isDenied = toolDenier({ allow: ['Read'], ask: ['Bash'], deny: ['Edit'] }, { owner: 'session', canonicalName: (name) => name });
    assert.deepEqual(['Read', 'Bash', 'Edit', 'Write'].filter(isDenied), ['Edit']);
  });

  test('that ask are named when a session asks nobody', async () => {
    const judgement = await judged(where, ['Bash', 'git push'], { mode: 'dontAsk', rules: { ask: ['Bash(git push)'] } });
    assert.deepEqual([judgement.decided_by, judgement.rule], ['mode dontAsk', 'Bash(git push)']);
  });

  test('are suggested only as long as a person can read them, and as one line', async () => {
    const suggested = async (...call: Parameters<typeof judged>[1]) => (await judged(where, call)).suggestions;
    assert.deepEqual(await suggested('Bash', `make ${'x'.repeat(400)}`), []);
    assert.deepEqual(await suggested('Bash', 'make "a\nb"'), []);
    assert.deepEqual(await suggested(touching('Send', [{ kind: 'other', text: 'mail' }]), ''), ['Send(mail)', 'Send']);
    assert.deepEqual(await suggested(touching('Send', [{ kind: 'other', text: 'a*b (c)' }]), ''), ['Send']);
  });

  test('have a limit of length, all of them together', () => {
    const texts = { ...NO_RULES, deny: ['x'.repeat(1_001)] };
    const { issues, rules } = parseRules(texts, { owner: 'session', canonicalName: (name) => name });
    assert.match(issues[0]?.message ?? '', /at most 1000 characters, and this one has 1001/);
    assert.deepEqual(
      rules.map(({ behavior, bare }) => [behavior, bare]),
      [['deny', true]],
    );
  });
});

describe('a sandbox that lets commands run unasked', () => {
  const policy = { sandboxed: true, autoAllowCommands: true };

  test('still asks before git changes the settings of its repository', async () => {
    const commands = [
      ...'add rm remove rename set-url set-branches'.split(' ').map((word) => `git remote ${word} x`),
      ...[
        '-d x',
        '-vD x',
        '-m x y',
        '-M x',
        '-u o/x',
        '-c x y',
        '-t x',
        '--delete x',
        '--move x y',
        '--copy x y',
        '--track x',
        '--track=direct x',
      ].map((rest) => `git branch ${rest}`),
      ...['--set-upstream-to=o/x', '--unset-upstream', '--edit-description'].map((rest) => `git branch ${rest}`),
      ...['-u o x', '-fu o x', '--set-upstream o x'].map((rest) => `git push ${rest}`),
      ...'add init deinit sync set-url set-branch --init'.split(' ').map((word) => `git submodule ${word}`),
      ...'init set disable'.split(' ').map((word) => `git sparse-checkout ${word}`),
      ...[
        'user.name x',
        '--unset a.b',
        '--add a.b c',
        '--replace-all a.b c',
        '--rename-section a b',
        '--remove-section a',
        '--edit',
        '-e',
      ].map((rest) => `git config ${rest}`),
      ...['set a.b c', 'unset a.b', 'edit', 'rename-section a b', 'remove-section a'].map((rest) => `git config ${rest}`),
      'cd src && git config user.name x',
      'git -C . config user.name x',
      'git config --local a.b c',
      'git config --globally a.b c',
      '/usr/bin/git config user.name x',
    ];
    for (const command of commands) assert.equal(await verdict(where, ['Bash', command], { policy }), 'ask mode default', command);
  });

  test('and lets everything else of git run', async () => {
    const commands = [
      'git commit -m x',
      'git push o x',
      'git push o x-u',
      'git branch x',
      'git branch new-d',
      'git fetch',
      'git submodule update',
      'git config --global user.name x',
      'git config --system a.b c',
      'git config -f x a.b c',
      'git config --file=x a.b c',
      'kubectl config set x',
      'docker remote add x',
      'make config a b',
    ];
    for (const command of commands) assert.equal(await verdict(where, ['Bash', command], { policy }), 'allow sandbox', command);
    for (const command of [
      'git config --get a.b',
      'git config -l',
      'git config --list',
      'git config get a.b',
      'git config a.b',
      'git branch -a',
    ])
      assert.match(await verdict(where, ['Bash', command], { policy }), /^allow/, command);
  });
});
