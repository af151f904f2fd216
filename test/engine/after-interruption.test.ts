// What becomes of calls that were running when their turn was interrupted, by what their tools can tell.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  buildTool,
  type Effect,
  type EngineEvent,
  type Hooks,
  type Intent,
  type ProbeAnswer,
  type Tool,
} from '../../src/contract/index.ts';
import type { BegunCall } from '../../src/engine/call/begun-call.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import { engineOptions, runAll } from '../support/run-engine.ts';
import { NO_HOOKS } from '../support/nobody.ts';

interface Seen {
  /** Inputs of calls. */
  readonly calls: unknown[];
  readonly intents: unknown[];
  /** Inputs and intents of probes. */
  readonly probes: unknown[];
}

interface Part {
  readonly effect: Effect;
  readonly probe?: () => unknown;
  readonly intent?: () => unknown;
}

function tool({ effect, probe, intent }: Part): { tool: Tool; seen: Seen } {
  const seen: Seen = { calls: [], intents: [], probes: [] };
  const made = buildTool({
    name: 'Effect',
    description: () => 'Has an effect.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    effect: () => effect,
    call(input) {
      seen.calls.push(input);
      return { content: 'ran' };
    },
    ...(intent && {
      intent(input: unknown) {
        seen.intents.push(input);
        return intent() as Promise<Intent>;
      },
    }),
    ...(probe && {
      probe(input: unknown, context: { intent?: Intent }) {
        seen.probes.push([input, context.intent]);
        return probe() as Promise<ProbeAnswer>;
      },
    }),
  });
  return { tool: made, seen };
}

const INPUT = { text: 'x' };
const decision = { behavior: 'allow', decided_by: 'test' } as const;

function begun(effect: Effect, more: Partial<BegunCall> = {}) {
  return new Map([['a', { begun: { starts: 1, effect, input: INPUT, decision, ...more } }]]);
}

function calls() {
  return [{ id: 'a', name: 'Effect', input: INPUT }];
}

function ended(events: readonly EngineEvent[]) {
  const all = events.filter((event) => event.type === 'call_finished');
  assert.equal(all.length, 1);
  return all[0]?.outcome;
}

const failed = (): ProbeAnswer => ({ kind: 'applied', result: { content: 'found failed', isError: true } });
const done = (): ProbeAnswer => ({ kind: 'applied', result: { content: 'found done' } });

describe('a call that was interrupted', () => {
  for (const [effect, probe, outcome, runs] of [
    ['read', undefined, 'ok', 1],
    ['once', undefined, 'outcome_unknown', 0],
    ['once', done, 'ok', 0],
    ['once', failed, 'tool_error', 0],
    ['once', () => ({ kind: 'not_applied' }), 'ok', 1],
    ['once', () => ({ kind: 'unclear' }), 'outcome_unknown', 0],
    ['idempotent', undefined, 'ok', 1],
    ['idempotent', () => ({ kind: 'not_applied' }), 'ok', 1],
    ['idempotent', done, 'ok', 0],
    ['idempotent', () => ({ kind: 'unclear' }), 'outcome_unknown', 0],
    ['probe', undefined, 'outcome_unknown', 0],
    ['probe', () => ({ kind: 'not_applied' }), 'ok', 1],
    ['probe', done, 'ok', 0],
    ['probe', () => Promise.reject(new Error('gone')), 'outcome_unknown', 0],
    ['probe', () => ({ kind: 'perhaps' }), 'outcome_unknown', 0],
    ['probe', () => undefined, 'outcome_unknown', 0],
    ['probe', () => ({ kind: 'applied' }), 'outcome_unknown', 0],
  ] as const) {
    test(`with effect ${effect} and a probe that says ${JSON.stringify(probe?.toString())} ends ${outcome}, and runs ${runs} times`, async () => {
      const { tool: one, seen } = tool({ effect, ...(probe && { probe }) });
      const events = await runAll(calls(), engineOptions([one], { earlier: begun(effect) }));
      assert.deepEqual([ended(events), seen.calls.length], [outcome, runs]);
      if (probe === done && runs === 0 && outcome === 'ok') assert.match(JSON.stringify(events), /found done/);
    });
  }

  test('of which nobody can tell says what is known of it all the same', async () => {
    const { tool: one } = tool({ effect: 'once', probe: () => ({ kind: 'unclear', known: 'It had printed this.' }) });
    const events = await runAll(calls(), engineOptions([one], { earlier: begun('once') }));
    assert.match(
      JSON.stringify(events.find(({ type }) => type === 'tool_result')),
      /may or may not have taken effect.*It had printed this\./,
    );
  });

  test('is asked for with the input and the intent that it began with, also where a hook had changed the input', async () => {
    const { tool: one, seen } = tool({ effect: 'probe', probe: done });
    const changed = { text: 'of a hook' };
    await runAll(calls(), engineOptions([one], { earlier: begun('probe', { input: changed, intent: { after: 'h' } }) }));
    await runAll(calls(), engineOptions([one], { earlier: begun('probe') }));
    assert.deepEqual(seen.probes, [
      [changed, { after: 'h' }],
      [INPUT, undefined],
    ]);
  });

  for (const effect of ['read', 'idempotent', 'probe'] as const) {
    test(`with effect ${effect} runs again three times and no more`, async () => {
      for (const [starts, outcome] of [
        [3, 'ok'],
        [4, 'outcome_unknown'],
      ] as const) {
        const { tool: one, seen } = tool({ effect, probe: () => ({ kind: 'not_applied' }) });
        const events = await runAll(calls(), engineOptions([one], { earlier: begun(effect, { starts }) }));
        assert.deepEqual([ended(events), seen.calls.length], [outcome, starts === 3 ? 1 : 0]);
      }
    });
  }

  test('is still unknown when it is stopped, denied, or its tool is gone, before anybody has looked', async () => {
    const { tool: one, seen } = tool({ effect: 'idempotent' });
    const control = new TurnControl();
    control.abort('Stop.');
    const earlier = begun('idempotent');
    const policy = { decide: () => ({ behavior: 'deny', decided_by: 'rule' }) as const };
    for (const options of [
      engineOptions([one], { earlier, control }),
      engineOptions([one], { earlier, policy }),
      engineOptions([], { earlier }),
    ]) {
      assert.equal(ended(await runAll(calls(), options)), 'outcome_unknown');
    }
    assert.deepEqual(seen.calls, []);
  });

  test('that is found done is heard of by the hooks that stand after a call', async () => {
    const heard: string[] = [];
    const hooks: Hooks = {
      listens: (event) => event === 'PostToolUse',
      run: (occasion) => {
        heard.push(occasion.event);
        return Promise.resolve({ additionalContext: ['noted'], notes: [] });
      },
    };
    const { tool: one } = tool({ effect: 'probe', probe: done });
    const events = await runAll(calls(), engineOptions([one], { earlier: begun('probe'), hooks }));
    assert.deepEqual(heard, ['PostToolUse']);
    assert.match(JSON.stringify(events), /noted/);
  });
});

describe('what a tool says of a call before it begins', () => {
  const started = (events: readonly EngineEvent[]) => events.find((event) => event.type === 'call_started');

  test('goes with its start, of calls that can be asked for later, and of no other', async () => {
    for (const effect of ['read', 'idempotent', 'probe', 'once'] as const) {
      const { tool: one, seen } = tool({ effect, intent: () => Promise.resolve({ before: null, after: 'h', count: 1 }) });
      const events = await runAll(calls(), engineOptions([one], { hooks: NO_HOOKS }));
      const asked = effect === 'idempotent' || effect === 'probe';
      assert.deepEqual(seen.intents, asked ? [INPUT] : []);
      assert.deepEqual(started(events)?.intent, asked ? { before: null, after: 'h', count: 1 } : undefined);
    }
  });

  test('is left out where it throws, is no plain record, or too large: the call goes on', async () => {
    for (const intent of [
      () => Promise.reject(new Error('gone')),
      () => ({ list: [] }),
      () => ({ not: Number.NaN }),
      () => 'text',
      () => ({ text: 'x'.repeat(20_000) }),
    ]) {
      const { tool: one, seen } = tool({ effect: 'probe', intent });
      const events = await runAll(calls(), engineOptions([one]));
      assert.equal(started(events)?.intent, undefined);
      assert.deepEqual([ended(events), seen.calls.length], ['ok', 1]);
    }
  });
});
