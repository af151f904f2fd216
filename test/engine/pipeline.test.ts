// The way of one call: what each stage is given, and that none comes after one that has failed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { frozenState, buildTool, type HookEvent, type Hooks, type Policy, type Tool } from '../../src/contract/index.ts';
import { engineOptions, of, outcomes, results, resultText, runAll, startAll, use } from '../support/run-engine.ts';
import { newTrace, workTool } from '../support/test-tools.ts';

/** A call that goes through all of its stages, each of which writes down that it was there. */
function staged({ fails }: { readonly fails?: 'validateInput' | 'hook' | 'policy' | 'call' } = {}) {
  const stages: string[] = [];
  const seen: unknown[] = [];
  const tool = buildTool({
    name: 'Staged',
    description: () => 'Has stages.',
    inputSchema: z.strictObject({ count: z.number() }),
    validateInput: async (input) => {
      stages.push('validateInput');
      seen.push(input);
      return fails === 'validateInput' ? { ok: false, message: 'Give an even count.' } : { ok: true };
    },
    call: (input) => {
      stages.push('call');
      seen.push(input);
      if (fails === 'call') throw new Error('it broke');
      return { content: 'done' };
    },
  }) as Tool;
  const hooks: Hooks = {
    listens: () => true,
    run: async (occasion) => {
      stages.push(occasion.event);
      if ('call' in occasion) seen.push(occasion.call.input);
      const denies = fails === 'hook' && occasion.event === ('PreToolUse' satisfies HookEvent);
      return { additionalContext: [], notes: [], ...(denies && { behavior: 'deny' as const, reason: 'A hook says no.' }) };
    },
  };
  const policy: Policy = {
    decide: ({ input, hook }) => {
      stages.push('policy');
      seen.push(input);
      if (hook?.behavior === 'deny') return { behavior: 'deny', decided_by: 'hook', reason: hook.reason ?? '' };
      return fails === 'policy'
        ? { behavior: 'deny', decided_by: 'rule', reason: 'A rule says no.' }
        : { behavior: 'allow', decided_by: 'test' };
    },
  };
  return { stages, seen, options: engineOptions([tool], { hooks, policy }) };
}

describe('a call', () => {
  test('passes its stages in one order: input, hooks, permission, tool, hooks', async () => {
    const { stages, options } = staged();
    assert.deepEqual(outcomes(await runAll([use('a', 'Staged', { count: 2 })], options)), ['a ok']);
    assert.deepEqual(stages, ['validateInput', 'PreToolUse', 'policy', 'call', 'PostToolUse', 'PostToolBatch']);
  });

  test('is seen by every stage with its input repaired', async () => {
    const { seen, options } = staged();
    await runAll([use('a', 'Staged', { count: '2' })], options);
    assert.equal(seen.length, 5);
    for (const input of seen) assert.deepEqual(input, { count: 2 });
  });

  for (const [fails, input, outcome, stages, says] of [
    [undefined, { count: 'many' }, 'invalid_input', [], /wrong type of `count`/],
    ['validateInput', { count: 2 }, 'invalid_input', ['validateInput'], /^<tool_use_error>Give an even count\.<\/tool_use_error>$/],
    ['hook', { count: 2 }, 'denied', ['validateInput', 'PreToolUse', 'policy', 'PermissionDenied'], /A hook says no\./],
    ['policy', { count: 2 }, 'denied', ['validateInput', 'PreToolUse', 'policy', 'PermissionDenied'], /A rule says no\./],
    ['call', { count: 2 }, 'tool_error', ['validateInput', 'PreToolUse', 'policy', 'call', 'PostToolUseFailure'], /it broke/],
  ] as const) {
    test(`that fails at ${fails ?? 'its schema'} goes through no later stage`, async () => {
      const one = staged(fails === undefined ? {} : { fails });
      const events = await runAll([use('a', 'Staged', input)], one.options);
      assert.deepEqual(outcomes(events), [`a ${outcome}`]);
      assert.deepEqual(
        one.stages.filter((stage) => stage !== 'PostToolBatch'),
        stages,
      );
      assert.match(resultText(results(events)[0]), says);
    });
  }

  test('that hooks make unsafe beside others waits and runs alone', async () => {
    const trace = newTrace();
    const hooks: Hooks = {
      listens: (event) => event === 'PreToolUse',
      run: async (occasion) => {
        const changed = 'call' in occasion && occasion.call.toolUseId === 'b';
        return { additionalContext: [], notes: [], ...(changed && { updatedInput: { safe: false, ms: 10 } }) };
      },
    };
    const calls = ['a', 'b', 'c'].map((id) => use(id, 'Work', { ms: 20 }));
    const events = await runAll(calls, engineOptions([workTool(trace)], { hooks }));
    assert.deepEqual(outcomes(events), ['a ok', 'b ok', 'c ok']);
    assert.deepEqual(trace.overlaps, []);
  });
});

test('progress of a call is told while an earlier call still runs, whose result holds back its own', async () => {
  const end = Promise.withResolvers<void>();
  const held = buildTool({
    name: 'Held',
    description: () => 'Waits.',
    inputSchema: z.strictObject({}),
    isConcurrencySafe: () => true,
    call: () => end.promise.then(() => ({ content: 'held' })),
  }) as Tool;
  const tells = buildTool({
    name: 'Tells',
    description: () => 'Tells how it goes on.',
    inputSchema: z.strictObject({}),
    isConcurrencySafe: () => true,
    async *call() {
      yield { type: 'progress' as const, data: { kind: 'half' } };
      return { content: 'told' };
    },
  }) as Tool;
  const turn = startAll([use('a', 'Held'), use('b', 'Tells')], engineOptions([held, tells]));
  await turn.event(of('progress', 'b'));
  await turn.event(of('call_finished', 'b'));
  end.resolve();
  assert.deepEqual(outcomes(await turn.events), ['a ok', 'b ok']);
  const ended = (await turn.events).map((event) => `${event.type} ${'tool_use_id' in event ? event.tool_use_id : ''}`);
  assert.ok(
    ended.indexOf('call_finished b') < ended.indexOf('tool_result a') && ended.indexOf('tool_result a') < ended.indexOf('tool_result b'),
  );
});

test('a tool that changes what it was given of the session gets an error, and the session stays as it was', async () => {
  const meddler = buildTool({
    name: 'Meddler',
    description: () => 'Changes what it may only read.',
    inputSchema: z.strictObject({ what: z.enum(['todos', 'item', 'loadedTools']) }),
    call({ what }, { state }) {
      if (what === 'item') Object.assign(state.todos[0] ?? {}, { content: 'two' });
      else (state[what] as unknown[]).push('more');
      return { content: 'done' };
    },
  }) as Tool;
  const options = engineOptions([meddler, workTool()]);
  const todos = Object.freeze([{ content: 'one', status: 'pending' as const, activeForm: 'doing one' }]);
  const state = frozenState({ ...options.state, todos, loadedTools: [] });
  const calls = ['todos', 'item', 'loadedTools'].map((what) => use(what, 'Meddler', { what }));
  const events = await runAll(calls, { ...options, state });
  assert.deepEqual(outcomes(events), ['todos tool_error', 'item tool_error', 'loadedTools tool_error']);
  assert.deepEqual([state.todos.map(({ content }) => content), state.loadedTools], [['one'], []]);
});
