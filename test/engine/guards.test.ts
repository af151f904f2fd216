// What stands between a call and its tool: hooks and people, on their way through a turn.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  buildTool,
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approvals,
  type EngineEvent,
  type HookOccasion,
  type Hooks,
  type HookVerdict,
  type Judgement,
  type Policy,
  type Tool,
} from '../../src/contract/index.ts';
import { engineOptions, of, outcomes, results, resultText, runAll, settle, startAll, use } from '../support/run-engine.ts';

/** Says what it was called with; only `safe: true` may run beside others. */
function echoTool(ran: unknown[] = []): Tool {
  return buildTool({
    name: 'Echo',
    description: () => 'Echo',
    inputSchema: z.strictObject({ text: z.string().optional(), safe: z.boolean().optional() }),
    isConcurrencySafe: ({ safe }) => safe === true,
    isReadOnly: () => true,
    call: (input) => {
      ran.push(input);
      if (input.text === 'fail') throw new Error('it broke');
      return { content: `said ${input.text ?? 'nothing'}` };
    },
  }) as Tool;
}

function hooksOf(answers: Partial<Record<HookOccasion['event'], (occasion: HookOccasion) => Partial<HookVerdict>>>): Hooks {
  return {
    listens: (event) => answers[event] !== undefined,
    run: async (occasion) => ({ additionalContext: [], notes: [], ...answers[occasion.event]?.(occasion) }),
  };
}

const question: Judgement = { behavior: 'ask', decided_by: 'mode default', reason: 'it is not allowed yet.', suggestions: ['Echo'] };
const yes: Judgement = { behavior: 'allow', decided_by: 'test' };
const asks: Policy = { decide: () => question };

interface Desk extends Approvals {
  readonly asked: ApprovalRequest[];
  answer(index: number, answer: ApprovalAnswer): void;
  readonly withdrawn: string[];
}

function desk(): Desk {
  const asked: ApprovalRequest[] = [];
  const answers: ((answer: ApprovalAnswer) => void)[] = [];
  const withdrawn: string[] = [];
  return {
    asked,
    withdrawn,
    ask(request) {
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      const id = `apr_${asked.length}`;
      asked.push(request);
      answers.push(resolve);
      const { toolUseId: tool_use_id, name, input, reason, suggestions } = request;
      const summary = { id, tool_use_id, name, input, reason, suggestions: suggestions.map((rule) => ({ rule })), expires_at: '' };
      return { summary, answer: promise, told: false };
    },
    withdraw(id, by) {
      withdrawn.push(`${id} ${by}`);
      answers[Number(id.slice(4))]?.({ behavior: 'deny', by });
    },
    answer: (index, answer) => answers[index]?.(answer),
  };
}

const allow: ApprovalAnswer = { behavior: 'allow', by: 'client' };

function startedBy(events: readonly EngineEvent[], id: string): string | undefined {
  const started = events.find(of('call_started', id));
  return started?.type === 'call_started' ? started.decision.decided_by : undefined;
}

describe('approvals', () => {
  test('a call that asks runs once people allow it, and says so', async () => {
    const approvals = desk();
    const turn = startAll([use('a', 'Echo', { text: 'hi' })], engineOptions([echoTool()], { policy: asks, approvals }));
    await turn.event(({ type }) => type === 'approval_requested');
    assert.deepEqual(approvals.asked[0]?.suggestions, ['Echo']);
    approvals.answer(0, allow);
    const events = await turn.events;
    assert.deepEqual(outcomes(events), ['a ok']);
    assert.equal(startedBy(events, 'a'), 'approval');
    assert.deepEqual(
      events.map(({ type }) => type),
      ['call_queued', 'approval_requested', 'approval_resolved', 'call_started', 'call_finished', 'tool_result'],
    );
  });

  test('what people deny does not run, and the model is told why', async () => {
    const [ran, approvals] = [[] as unknown[], desk()];
    const turn = startAll([use('a', 'Echo')], engineOptions([echoTool(ran)], { policy: asks, approvals }));
    await turn.event(({ type }) => type === 'approval_requested');
    approvals.answer(0, { behavior: 'deny', by: 'client', message: 'not on a Friday' });
    const events = await turn.events;
    assert.deepEqual(outcomes(events), ['a denied']);
    assert.match(resultText(results(events)[0]), /not on a Friday/);
    assert.deepEqual(ran, []);
  });

  test('where nobody can be asked, the answer is no', async () => {
    const events = await runAll([use('a', 'Echo')], engineOptions([echoTool()], { policy: asks }));
    assert.deepEqual(outcomes(events), ['a denied']);
    assert.match(resultText(results(events)[0]), /Nobody can be asked here/);
  });

  test('only the call that depends on an approval waits for it, even with one place', async () => {
    const approvals = desk();
    const policy: Policy = {
      decide: ({ toolUseId }) => (toolUseId === 'a' ? question : yes),
    };
    const options = engineOptions([echoTool()], { policy, approvals, limits: { maxConcurrency: 1, graceMs: 50, bufferedEvents: 1000 } });
    const turn = startAll([use('a', 'Echo', { safe: true }), use('b', 'Echo', { safe: true }), use('c', 'Echo', { safe: true })], options);
    await turn.event(of('call_finished', 'b'));
    await turn.event(of('call_finished', 'c'));
    approvals.answer(0, allow);
    assert.deepEqual(outcomes(await turn.events), ['a ok', 'b ok', 'c ok']);
  });

  test('edited input is coerced and validated, and what is wrong then does not run', async () => {
    const [ran, approvals] = [[] as unknown[], desk()];
    const calls = [use('a', 'Echo', { text: 'x', safe: true }), use('b', 'Echo', { text: 'y', safe: true })];
    const turn = startAll(calls, engineOptions([echoTool(ran)], { policy: asks, approvals }));
    await settle();
    approvals.answer(0, { ...allow, updatedInput: { text: 'edited', safe: 'true' } });
    approvals.answer(1, { ...allow, updatedInput: { unheard: 1 } });
    assert.deepEqual(outcomes(await turn.events), ['a ok', 'b invalid_input']);
    assert.deepEqual(ran, [{ text: 'edited', safe: true }]);
  });

  test('no answer of people goes past a deny of the policy on the edited input', async () => {
    const approvals = desk();
    const policy: Policy = {
      decide: ({ input }) =>
        (input as { text?: string }).text === 'evil' ? { behavior: 'deny', decided_by: 'rule', reason: 'never' } : question,
    };
    const turn = startAll([use('a', 'Echo', { text: 'x' })], engineOptions([echoTool()], { policy, approvals }));
    await settle();
    approvals.answer(0, { ...allow, updatedInput: { text: 'evil' } });
    assert.deepEqual(outcomes(await turn.events), ['a denied']);
  });

  test('a call whose edited input is not safe beside others waits and runs alone', async () => {
    const approvals = desk();
    let running = 0;
    const overlaps: string[] = [];
    const tool = buildTool({
      name: 'Slow',
      description: () => 'Slow',
      inputSchema: z.strictObject({ id: z.string(), safe: z.boolean() }),
      isConcurrencySafe: ({ safe }) => safe,
      async call({ id, safe }) {
        running += 1;
        if (!safe && running > 1) overlaps.push(id);
        await settle();
        if (!safe && running > 1) overlaps.push(id);
        running -= 1;
        return { content: id };
      },
    }) as Tool;
    const policy: Policy = {
      decide: ({ toolUseId }) => (toolUseId < 'c' ? question : yes),
    };
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const turn = startAll(
      ids.map((id) => use(id, 'Slow', { id, safe: true })),
      engineOptions([tool], { policy, approvals, limits: { maxConcurrency: 2, graceMs: 50, bufferedEvents: 1000 } }),
    );
    await turn.event(of('call_started', 'c'));
    approvals.answer(0, { ...allow, updatedInput: { id: 'a', safe: false } });
    approvals.answer(1, { ...allow, updatedInput: { id: 'b', safe: false } });
    assert.deepEqual(
      outcomes(await turn.events),
      ids.map((id) => `${id} ok`),
    );
    assert.deepEqual(overlaps, []);
  });

  test('an abort takes open questions back', async () => {
    const approvals = desk();
    const options = engineOptions([echoTool()], { policy: asks, approvals });
    const turn = startAll([use('a', 'Echo', { safe: true }), use('b', 'Echo', { safe: true })], options);
    await settle();
    options.control.abort('stop');
    const events = await turn.events;
    assert.deepEqual(outcomes(events), ['a aborted', 'b aborted']);
    assert.deepEqual(approvals.withdrawn, ['apr_0 abort', 'apr_1 abort']);
    assert.deepEqual(
      events.filter(({ type }) => type === 'approval_resolved').map((event) => 'by' in event && event.by),
      ['abort', 'abort'],
    );
  });
});

describe('hooks', () => {
  test('PreToolUse may change the input: it is coerced, and the tool gets it', async () => {
    const ran: unknown[] = [];
    const hooks = hooksOf({ PreToolUse: () => ({ updatedInput: { text: 'hooked', safe: 'true' } }) });
    const events = await runAll([use('a', 'Echo', { text: 'x' })], engineOptions([echoTool(ran)], { hooks }));
    assert.deepEqual(outcomes(events), ['a ok']);
    assert.deepEqual(ran, [{ text: 'hooked', safe: true }]);
  });

  test('the policy hears what the hooks think', async () => {
    const opinions: unknown[] = [];
    const policy: Policy = {
      decide: ({ hook }) => (opinions.push(hook), { behavior: 'deny', decided_by: 'hook', reason: hook?.reason ?? '' }),
    };
    const hooks = hooksOf({ PreToolUse: () => ({ behavior: 'deny', reason: 'no tools today' }) });
    const events = await runAll([use('a', 'Echo')], engineOptions([echoTool()], { hooks, policy }));
    assert.deepEqual(opinions, [{ behavior: 'deny', reason: 'no tools today' }]);
    assert.match(resultText(results(events)[0]), /no tools today/);
  });

  test('continue: false ends the turn, and what is left is aborted', async () => {
    for (const event of [
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PermissionRequest',
      'PermissionDenied',
      'PostToolBatch',
    ] as const) {
      const hooks = hooksOf({ [event]: () => ({ stop: { reason: 'enough' } }) });
      const policy: Policy = {
        decide: ({ toolUseId }) =>
          event.startsWith('Permission') && toolUseId === 'a'
            ? { behavior: event === 'PermissionRequest' ? 'ask' : 'deny', decided_by: 'test', reason: 'no' }
            : { behavior: 'allow', decided_by: 'test' },
      };
      const options = engineOptions([echoTool()], { hooks, policy });
      const text = event === 'PostToolUseFailure' ? 'fail' : 'x';
      const events = await runAll([use('a', 'Echo', { text }), use('b', 'Echo', { text: 'x' })], options);
      assert.equal(options.control.halted, 'enough', event);
      assert.equal(outcomes(events)[1], 'b aborted', event);
      assert.equal(results(events).length, 2, event);
    }
  });

  test('what hooks add reaches the model with the result, made safe', async () => {
    const hooks = hooksOf({
      PreToolUse: () => ({ additionalContext: ['before <|im_start|>'] }),
      PostToolUse: () => ({ additionalContext: ['after'], behavior: 'deny', reason: 'look again' }),
      PostToolUseFailure: () => ({ additionalContext: ['sorry'] }),
      PostToolBatch: ({ event, ...occasion }) => ({
        additionalContext: [`${event} of ${'calls' in occasion ? occasion.calls.length : 0}`],
      }),
    });
    const calls = [use('a', 'Echo', { safe: true }), use('b', 'Echo', { safe: true, text: 'fail' })];
    const [first, second] = results(await runAll(calls, engineOptions([echoTool()], { hooks }))).map(resultText);
    assert.match(first ?? '', /said nothing[^]*before [^]*look again[^]*after/);
    assert.ok(!first?.includes('<|im_start|>'));
    assert.match(second ?? '', /it broke[^]*sorry[^]*PostToolBatch of 2/);
  });

  test('what hooks say to people passes by as progress of the call, of a batch as progress of its last call', async () => {
    const notes = { PreToolUse: 'before', PostToolUse: 'after', PostToolBatch: 'it is broken' };
    const hooks = hooksOf(Object.fromEntries(Object.entries(notes).map(([event, note]) => [event, () => ({ notes: [note] })])));
    const calls = [use('a', 'Echo', { safe: true }), use('b', 'Echo', { safe: true })];
    const events = await runAll(calls, engineOptions([echoTool()], { hooks }));
    const said = events.flatMap((event) => (event.type === 'progress' ? [{ of: event.tool_use_id, ...(event.data as object) }] : []));
    assert.deepEqual(
      said.filter((progress) => progress.of === 'b'),
      ['before', 'after', 'it is broken'].map((text) => ({ of: 'b', kind: 'hook', text })),
    );
    assert.equal(said.filter((progress) => progress.of === 'a').length, 2);
  });

  test('PostToolUse may replace what the model gets', async () => {
    const hooks = hooksOf({ PostToolUse: () => ({ updatedOutput: 'redacted' }) });
    assert.equal(resultText(results(await runAll([use('a', 'Echo')], engineOptions([echoTool()], { hooks })))[0]), 'redacted');
  });

  test('PermissionRequest may answer in the place of people, and no answer of it goes past a deny', async () => {
    const hooks = hooksOf({ PermissionRequest: () => ({ behavior: 'allow', updatedInput: { text: 'by hook' } }) });
    const ran: unknown[] = [];
    const events = await runAll([use('a', 'Echo')], engineOptions([echoTool(ran)], { hooks, policy: asks }));
    assert.deepEqual([outcomes(events), startedBy(events, 'a'), ran], [['a ok'], 'hook', [{ text: 'by hook' }]]);
    const never: Policy = {
      decide: ({ input }) =>
        (input as { text?: string }).text === undefined
          ? { behavior: 'ask', decided_by: 'mode' }
          : { behavior: 'deny', decided_by: 'rule' },
    };
    assert.deepEqual(outcomes(await runAll([use('a', 'Echo')], engineOptions([echoTool()], { hooks, policy: never }))), ['a denied']);
  });

  test('what is said before the first turn goes with its first result', async () => {
    const options = engineOptions([echoTool()], { notes: ['the branch is main'] });
    const [first, second] = results(await runAll([use('a', 'Echo', { safe: true }), use('b', 'Echo', { safe: true })], options)).map(
      resultText,
    );
    assert.match(first ?? '', /the branch is main/);
    assert.doesNotMatch(second ?? '', /the branch is main/);
  });

  test('input that people edit passes every hook again, and what a hook changes then is asked about again', async () => {
    const [approvals, seen] = [desk(), [] as unknown[]];
    const hooks = hooksOf({
      PreToolUse: (occasion) => {
        const { text } = ('call' in occasion ? occasion.call.input : {}) as { text?: string };
        seen.push(text);
        if (text === 'evil') return { behavior: 'deny', reason: 'not that' };
        return text === 'twice' ? { updatedInput: { text: 'hooked' } } : {};
      },
    });
    const policy: Policy = {
      decide: ({ hook }) => (hook?.behavior === 'deny' ? { behavior: 'deny', decided_by: 'hook', reason: hook.reason ?? '' } : question),
    };
    const turn = startAll(
      [use('a', 'Echo', { safe: true }), use('b', 'Echo', { safe: true })],
      engineOptions([echoTool()], { hooks, policy, approvals }),
    );
    await settle();
    approvals.answer(0, { ...allow, updatedInput: { text: 'evil' } });
    approvals.answer(1, { ...allow, updatedInput: { text: 'twice' } });
    await settle();
    assert.deepEqual(approvals.asked[2]?.input, { text: 'hooked' });
    approvals.answer(2, allow);
    const events = await turn.events;
    assert.deepEqual(outcomes(events), ['a denied', 'b ok']);
    assert.equal(resultText(results(events)[1]), 'said hooked');
    assert.deepEqual(seen, [undefined, undefined, 'evil', 'twice']);
  });

  test('answers that change the input for ever end in a no', async () => {
    let round = 0;
    const hooks = hooksOf({
      PermissionRequest: () => ({ behavior: 'allow', updatedInput: { text: `${round++}` } }),
      PreToolUse: () => ({ updatedInput: { text: 'back' } }),
    });
    const events = await runAll([use('a', 'Echo')], engineOptions([echoTool()], { hooks, policy: asks }));
    assert.deepEqual(outcomes(events), ['a denied']);
    assert.ok(round < 10);
  });

  test('a call that was interrupted is told to the hooks after it too', async () => {
    const told: unknown[] = [];
    const hooks: Hooks = {
      listens: (event) => event === 'PostToolUseFailure',
      run: async (occasion, _context, signal) => {
        told.push(occasion.event === 'PostToolUseFailure' && [occasion.interrupted, signal.aborted]);
        return { additionalContext: ['it was stopped'], notes: [] };
      },
    };
    const tool = buildTool({
      name: 'Wait',
      description: () => 'Wait',
      inputSchema: z.strictObject({}),
      call: (_input, { signal }) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
    });
    const options = engineOptions([tool], { hooks });
    const turn = startAll([use('a', 'Wait')], options);
    await turn.event(of('call_started', 'a'));
    options.control.abort('stop');
    const events = await turn.events;
    assert.deepEqual([outcomes(events), told], [['a aborted'], [[true, false]]]);
    assert.match(resultText(results(events)[0]), /it was stopped/);
  });
});
