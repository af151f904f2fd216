// Several hooks on one occasion: which run, together, and what comes of it.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { HookEvent } from '../../src/contract/index.ts';
import { benchOf, callOf, commands, decides, occasionOf, prints, workspaceOf } from './hooks-harness.ts';

/** A line that keeps what it is told in a file. */
const keeps = (file: string): string => `cat > ${file}`;

describe('hooks', () => {
  const told: [HookEvent, object][] = [
    ['PreToolUse', { tool_name: 'Echo', tool_input: { text: 'hi' }, tool_use_id: 'toolu_1' }],
    [
      'PostToolUse',
      { tool_name: 'Echo', tool_input: { text: 'hi' }, tool_use_id: 'toolu_1', tool_response: { said: 'hi' }, duration_ms: 3 },
    ],
    [
      'PostToolUseFailure',
      { tool_name: 'Echo', tool_input: { text: 'hi' }, tool_use_id: 'toolu_1', error: 'it broke', is_interrupt: false, duration_ms: 3 },
    ],
    [
      'PostToolBatch',
      { tool_calls: [{ tool_name: 'Echo', tool_input: { text: 'hi' }, tool_use_id: 'toolu_1', tool_response: 'said hi' }] },
    ],
    ['PermissionDenied', { tool_name: 'Echo', tool_input: { text: 'hi' }, tool_use_id: 'toolu_1', reason: 'a rule denies it.' }],
    ['SessionStart', { source: 'startup' }],
    ['SessionEnd', { reason: 'deleted' }],
  ];
  for (const [event, fields] of told) {
    test(`of ${event} are told what happened on their standard input`, async (t) => {
      const workspace = await workspaceOf(t);
      await benchOf({ operator: commands(event, keeps('told.json')), workspace }).run(occasionOf(event));
      const common = { session_id: 'ses_test', transcript_path: '', cwd: workspace, permission_mode: 'default', hook_event_name: event };
      assert.deepEqual(JSON.parse(await readFile(join(workspace, 'told.json'), 'utf8')), { ...common, ...fields });
    });
  }

  test('of PermissionRequest get the suggested rules in the public form', async (t) => {
    const workspace = await workspaceOf(t);
    await benchOf({ operator: commands('PermissionRequest', keeps('told.json')), workspace }).run(occasionOf('PermissionRequest'));
    const { permission_suggestions: suggestions } = JSON.parse(await readFile(join(workspace, 'told.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const suggestion = (rule: object): object => ({ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' });
    assert.deepEqual(suggestions, [suggestion({ toolName: 'Echo' }), suggestion({ toolName: 'Echo', ruleContent: 'text:*' })]);
  });

  test('after a call hear of it also when its output is no JSON', async (t) => {
    const workspace = await workspaceOf(t);
    const occasion = { event: 'PostToolUse', call: callOf(), content: 'said hi', output: { big: 1n }, durationMs: 3 } as const;
    await benchOf({ operator: commands('PostToolUse', keeps('told.json')), workspace }).run(occasion);
    assert.match(await readFile(join(workspace, 'told.json'), 'utf8'), /"tool_response":"said hi"/);
  });

  test('run side by side: each can wait for the other', async (t) => {
    const workspace = await workspaceOf(t);
    const meet = (mine: string, other: string): string =>
      `touch ${mine}; until [ -e ${other} ]; do sleep 0.01; done; echo ${mine} >&2; exit 2`;
    const { reason } = await benchOf({ operator: commands('PreToolUse', meet('a', 'b'), meet('b', 'a')), workspace }).run(
      occasionOf('PreToolUse'),
    );
    assert.equal(reason, 'a\nb');
  });

  test('that are identical run once, also from two groups, and others each', async (t) => {
    const workspace = await workspaceOf(t);
    const group = { hooks: [{ type: 'command', command: 'echo same >> ran' }] };
    const operator = { PreToolUse: [group, { ...group, matcher: 'Echo' }, { hooks: [{ type: 'command', command: 'echo other >> ran' }] }] };
    await benchOf({ operator, workspace }).run(occasionOf('PreToolUse'));
    assert.deepEqual((await readFile(join(workspace, 'ran'), 'utf8')).trim().split('\n').toSorted(), ['other', 'same']);
  });

  test('run for names, aliases and patterns that match, and for no others', async () => {
    const says = (matcher: string) => ({
      matcher,
      hooks: [{ type: 'command', command: prints({ hookSpecificOutput: { additionalContext: matcher } }) }],
    });
    const operator = { PreToolUse: ['Echo', 'OldEcho', 'Old.*', 'Other', '^cho'].map(says) };
    const { additionalContext } = await benchOf({ operator }).run(occasionOf('PreToolUse'));
    assert.deepEqual(additionalContext, ['Echo', 'OldEcho', 'Old.*']);
  });

  test('of sessions match how a session starts', async () => {
    const on = (matcher: string) => ({ matcher, hooks: [{ type: 'command', command: `echo ${matcher}` }] });
    const { additionalContext } = await benchOf({ operator: { SessionStart: [on('startup'), on('resume')] } }).run(
      occasionOf('SessionStart'),
    );
    assert.deepEqual(additionalContext, ['startup']);
  });

  test('run only where all their permission rules match, and where one cannot be checked', async () => {
    const rules: [group: string, own: string, ran: string][] = [
      ['Echo', 'Echo(a)', 'deny'],
      ['Echo', 'Other', ''],
      ['Other', 'Echo', ''],
      ['Echo', 'throws', 'deny'],
    ];
    for (const [group, own, ran] of rules) {
      const hook = { type: 'command', command: 'exit 2', if: own };
      const matchesRule = (rule: string): boolean => {
        if (rule === 'throws') throw new Error('cannot say');
        return rule.startsWith('Echo');
      };
      const bench = benchOf({ operator: { PreToolUse: [{ if: group, hooks: [hook] }] }, ports: { matchesRule } });
      assert.equal((await bench.run(occasionOf('PreToolUse'))).behavior ?? '', ran, `${group} and ${own}`);
    }
  });

  test('are listened to only at their events', () => {
    const { hooks } = benchOf({ operator: commands('PreToolUse', 'true'), session: commands('SessionEnd', 'true') });
    assert.deepEqual([hooks.listens('PreToolUse'), hooks.listens('SessionEnd'), hooks.listens('PostToolUse')], [true, true, false]);
  });

  test('that fail as a whole let no call through, and never throw', async () => {
    const canonicalName = (): string => {
      throw new Error('no names today');
    };
    const bench = benchOf({ operator: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] }, ports: { canonicalName } });
    assert.equal((await bench.run(occasionOf('PreToolUse'))).behavior, 'deny');
    assert.deepEqual(bench.reports, ['Hooks of PreToolUse failed']);
  });
});

describe('several answers', () => {
  const together = (...lines: string[]) => benchOf({ operator: commands('PreToolUse', ...lines) }).run(occasionOf('PreToolUse'));

  test('become the strictest: deny, then ask, then allow', async () => {
    const [allow, ask, deny] = ['allow', 'ask', 'deny'].map((one) => decides(one, { permissionDecisionReason: one })) as [
      string,
      string,
      string,
    ];
    for (const [lines, behavior] of [
      [[allow, ask, deny], 'deny'],
      [[deny, allow], 'deny'],
      [[allow, ask], 'ask'],
      [[allow, 'true'], 'allow'],
    ] as const) {
      const verdict = await together(...lines);
      assert.deepEqual([verdict.behavior, verdict.reason], [behavior, behavior]);
    }
  });

  test('keep the input of the last hook in the settings, however late another answers', async () => {
    const gives = (text: string): string => prints({ hookSpecificOutput: { updatedInput: { text } } });
    assert.deepEqual((await together(`sleep 0.1; ${gives('first')}`, gives('last'))).updatedInput, { text: 'last' });
    assert.deepEqual((await together(gives('first'), `sleep 0.1; ${gives('last')}`, 'true')).updatedInput, { text: 'last' });
  });

  test('bring all context, and one end of the turn ends it', async () => {
    const adds = (additionalContext: string): string => prints({ hookSpecificOutput: { additionalContext } });
    const verdict = await together(
      adds('one'),
      prints({ continue: false, stopReason: 'enough', systemMessage: 'for people' }),
      adds('two'),
    );
    assert.deepEqual(verdict, { additionalContext: ['one', 'two'], stop: { reason: 'enough' }, notes: ['for people'] });
  });
});

describe('hooks of a session', () => {
  test('cannot allow what would ask, neither before a call nor when permission is asked', async () => {
    const before = await benchOf({ session: commands('PreToolUse', decides('allow', { updatedInput: { text: 'x' } })) }).run(
      occasionOf('PreToolUse'),
    );
    assert.deepEqual([before.behavior, before.updatedInput], [undefined, { text: 'x' }]);
    const yes = prints({ hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: { text: 'x' } } } });
    const asked = await benchOf({ session: commands('PermissionRequest', yes) }).run(occasionOf('PermissionRequest'));
    assert.deepEqual([asked.behavior, asked.updatedInput], [undefined, undefined]);
  });

  test('can deny and ask where the operator allows', async () => {
    for (const behavior of ['deny', 'ask']) {
      const bench = benchOf({ operator: commands('PreToolUse', decides('allow')), session: commands('PreToolUse', decides(behavior)) });
      assert.equal((await bench.run(occasionOf('PreToolUse'))).behavior, behavior);
    }
  });

  const changes = (text: string): unknown => commands('PreToolUse', prints({ hookSpecificOutput: { updatedInput: { text } } }));
  const judges = [
    'text=$(jq -r .tool_input.text)',
    'if [ "$text" = evil ]; then echo not evil >&2; exit 2; fi',
    `if [ "$text" = hi ]; then ${decides('allow')} fi`,
  ].join('\n');

  test('cannot take the input past the operator: what they put in its place is judged by the operator again', async () => {
    const bench = benchOf({ operator: commands('PreToolUse', judges), session: changes('evil') });
    const verdict = await bench.run(occasionOf('PreToolUse'));
    assert.deepEqual([verdict.behavior, verdict.reason], ['deny', 'not evil']);
  });

  test('lose the allowance that the operator gave for another input', async () => {
    const bench = benchOf({ operator: commands('PreToolUse', judges), session: changes('other') });
    const verdict = await bench.run(occasionOf('PreToolUse'));
    assert.deepEqual([verdict.behavior, verdict.updatedInput], [undefined, { text: 'other' }]);
  });

  test('do not undo what the operator changes', async () => {
    const stamps = `jq -c '{hookSpecificOutput: {updatedInput: {text: (.tool_input.text + "!")}}}'`;
    const bench = benchOf({ operator: commands('PreToolUse', stamps), session: changes('other') });
    assert.deepEqual((await bench.run(occasionOf('PreToolUse'))).updatedInput, { text: 'other!' });
  });

  test('cannot hide an input from the operator behind one that is not valid', async () => {
    const observe = (): never => {
      throw new Error('text is missing');
    };
    const bench = benchOf({ operator: commands('PreToolUse', judges), session: changes('other'), ports: { observe } });
    assert.match((await bench.run(occasionOf('PreToolUse'))).reason ?? '', /not valid: text is missing/);
  });

  test('that are commands block where there is no sandbox to run them in', async () => {
    const bench = benchOf({ session: commands('PreToolUse', 'true'), ports: { commandFor: () => null } });
    const { behavior, notes } = await bench.run(occasionOf('PreToolUse'));
    assert.equal(behavior, 'deny');
    assert.match(notes.join(), /need a sandbox/);
  });
});

test('an existing script for hooks runs unchanged from its file', async (t) => {
  const workspace = await workspaceOf(t);
  const script =
    '#!/bin/bash\ncommand=$(jq -r .tool_input.text)\nif echo "$command" | grep -q "rm -rf"; then echo "Blocked: $command" >&2; exit 2; fi\nexit 0\n';
  await writeFile(join(workspace, 'guard.sh'), script, { mode: 0o755 });
  const bench = benchOf({ operator: commands('PreToolUse', '"$CLAUDE_PROJECT_DIR"/guard.sh'), workspace });
  assert.equal((await bench.run(occasionOf('PreToolUse', callOf({ text: 'ls' })))).behavior, undefined);
  assert.equal((await bench.run(occasionOf('PreToolUse', callOf({ text: 'rm -rf x' })))).reason, 'Blocked: rm -rf x');
});
