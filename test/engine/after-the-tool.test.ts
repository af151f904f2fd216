// What has happened has happened: hooks, aborts and deadlines that come after a tool has ended cannot undo its result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  buildTool,
  type ApprovalAnswer,
  type HookOccasion,
  type Hooks,
  type HookVerdict,
  type Policy,
  type Tool,
} from '../../src/contract/index.ts';
import { engineOptions, of, outcomes, results, resultText, settle, startAll, use } from '../support/run-engine.ts';

type Answers = Partial<Record<HookOccasion['event'], (occasion: HookOccasion) => Promise<Partial<HookVerdict>>>>;

function hooksOf(answers: Answers): Hooks {
  return {
    listens: (event) => answers[event] !== undefined,
    run: async (occasion) => ({ additionalContext: [], notes: [], ...(await answers[occasion.event]?.(occasion)) }),
  };
}

function echo(timeoutMs = 10_000): Tool {
  return buildTool({
    name: 'Echo',
    description: () => 'Echo',
    inputSchema: z.strictObject({ text: z.string().optional() }),
    isConcurrencySafe: () => true,
    timeoutMs,
    call: () => ({ content: 'done', contextModifier: (state) => ({ ...state, cwd: '/w/sub' }) }),
  }) as Tool;
}

test('a call whose tool has ended stays ok when the turn is aborted while hooks hear of it', async () => {
  const options = engineOptions([echo()], { hooks: hooksOf({ PostToolUse: () => new Promise(() => {}) }) });
  const turn = startAll([use('a', 'Echo')], options);
  await turn.event(of('call_started', 'a'));
  await settle();
  options.control.abort('stop');
  const events = await turn.events;
  assert.deepEqual(outcomes(events), ['a ok']);
  assert.equal(resultText(results(events)[0]), 'done');
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'context_changed' ? [event.changes] : [])),
    [{ cwd: '/w/sub' }],
  );
});

test('hooks that are slower than the call may be make no timeout of it', async () => {
  const slow = Promise.withResolvers<Partial<HookVerdict>>();
  const turn = startAll([use('a', 'Echo')], engineOptions([echo(20)], { hooks: hooksOf({ PostToolUse: () => slow.promise }) }));
  await turn.event(of('call_started', 'a'));
  await new Promise((resolve) => setTimeout(resolve, 100));
  slow.resolve({ additionalContext: ['looked at'] });
  const events = await turn.events;
  assert.deepEqual(outcomes(events), ['a ok']);
  assert.match(resultText(results(events)[0]), /looked at/);
});

test('time that a call waits to be alone does not count as its own', async () => {
  const go = Promise.withResolvers<void>();
  const tool = buildTool({
    name: 'Slow',
    description: () => 'Slow',
    inputSchema: z.strictObject({ safe: z.boolean() }),
    isConcurrencySafe: ({ safe }) => safe,
    timeoutMs: 60,
    call: () => ({ content: 'ran' }),
  }) as Tool;
  const other = buildTool({
    name: 'Other',
    description: () => 'Other',
    inputSchema: z.strictObject({}),
    isConcurrencySafe: () => true,
    call: () => go.promise.then(() => ({ content: 'ran' })),
  }) as Tool;
  const asked = Promise.withResolvers<ApprovalAnswer>();
  const policy: Policy = {
    decide: ({ tool: { name } }) => (name === 'Slow' ? { behavior: 'ask', decided_by: 'test' } : { behavior: 'allow', decided_by: 'test' }),
  };
  const approvals = {
    ask: () => ({
      summary: { id: 'apr_1', tool_use_id: 'a', name: 'Slow', input: {}, reason: '', suggestions: [], expires_at: '' },
      answer: asked.promise,
      told: false,
    }),
    withdraw() {},
  };
  const turn = startAll([use('a', 'Slow', { safe: true }), use('b', 'Other')], engineOptions([tool, other], { policy, approvals }));
  await turn.event(of('call_started', 'b'));
  asked.resolve({ behavior: 'allow', by: 'client', updatedInput: { safe: false } });
  await new Promise((resolve) => setTimeout(resolve, 200));
  go.resolve();
  assert.deepEqual(outcomes(await turn.events).toSorted(), ['a ok', 'b ok']);
});

test('what a hook has said of an input does not hold for the one it is changed to', async () => {
  const seen: unknown[] = [];
  let heard = 0;
  const policy: Policy = {
    decide: ({ hook }) => {
      seen.push(hook?.behavior);
      return { behavior: 'ask', decided_by: 'rule' };
    },
  };
  const hooks = hooksOf({ PreToolUse: async () => (heard++ === 0 ? { behavior: 'allow' } : {}) });
  const answers: ApprovalAnswer[] = [
    { behavior: 'allow', by: 'client', updatedInput: { text: 'other' } },
    { behavior: 'allow', by: 'client' },
  ];
  const approvals = {
    ask: () => ({
      summary: { id: 'apr_1', tool_use_id: 'a', name: 'Echo', input: {}, reason: '', suggestions: [], expires_at: '' },
      answer: Promise.resolve(answers.shift() ?? { behavior: 'deny' as const, by: 'client' }),
      told: false,
    }),
    withdraw() {},
  };
  await startAll([use('a', 'Echo')], engineOptions([echo()], { policy, hooks, approvals })).events;
  assert.deepEqual(seen.slice(0, 2), ['allow', undefined]);
});

test('with hooks after batches, a streamed result leaves while the model still writes, and what they say goes with a later one', async () => {
  const more = Promise.withResolvers<void>();
  async function* calls() {
    yield use('a', 'Echo');
    await more.promise;
    yield use('b', 'Echo');
  }
  const hooks = hooksOf({ PostToolBatch: async () => ({ additionalContext: ['mind the gap'] }) });
  const turn = startAll(calls(), engineOptions([echo()], { hooks }));
  await turn.event(of('tool_result', 'a'));
  more.resolve();
  const left: string[] = [];
  const events = await turn.events;
  assert.deepEqual(outcomes(events), ['a ok', 'b ok']);
  const said = [...results(events).map((result) => resultText(result)), ...left];
  assert.equal(said.filter((text) => text.includes('mind the gap')).length <= 1, true);
});

test('what hooks say after the last result of a streamed turn is kept for the next turn', async () => {
  const end = Promise.withResolvers<void>();
  async function* calls() {
    yield use('a', 'Echo');
    await end.promise;
  }
  const left: string[] = [];
  const hooks = hooksOf({ PostToolBatch: async () => ({ additionalContext: ['mind the gap'] }) });
  const turn = startAll(calls(), engineOptions([echo()], { hooks, leftNotes: (notes) => void left.push(...notes) }));
  await turn.event(of('tool_result', 'a'));
  end.resolve();
  await turn.events;
  assert.deepEqual(left, ['mind the gap']);
});
