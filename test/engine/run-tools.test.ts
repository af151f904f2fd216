import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  buildTool,
  type EngineEvent,
  type SessionState,
  type ToolCatalog,
  type ToolResult,
  type ToolUse,
} from '../../src/contract/index.ts';
import { Channel } from '../../src/engine/release/channel.ts';
import { runTools } from '../../src/engine/run-tools.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import { engineOptions, of, outcomes, results, resultText, runAll, settle, startAll, use } from '../support/run-engine.ts';
import { badTools, newTrace, workTool } from '../support/test-tools.ts';

describe('order and concurrency', () => {
  test('results leave in call order although later calls finish first', async () => {
    const gates = new Map(['a', 'b', 'c'].map((id) => [id, Promise.withResolvers<ToolResult>()]));
    const gated = buildTool({
      name: 'Gated',
      inputSchema: z.strictObject({}),
      description: () => 'Ends when the test says so.',
      isConcurrencySafe: () => true,
      call: (_input, { toolUseId }) => gates.get(toolUseId)?.promise ?? assert.fail(),
    });
    const turn = startAll([use('a', 'Gated'), use('b', 'Gated'), use('c', 'Gated')], engineOptions([gated]));
    for (const id of ['c', 'b', 'a']) {
      gates.get(id)?.resolve({ content: 'done' });
      await turn.event(of('call_finished', id));
    }
    const events = await turn.events;
    assert.deepEqual(outcomes(events), ['a ok', 'b ok', 'c ok']);
  });

  test('at most the limit runs at once, and a free slot is filled at once instead of in waves', async () => {
    const trace = newTrace();
    const calls = Array.from({ length: 9 }, (_, n) => use(`c${n}`, 'Work', { ms: n === 0 ? 120 : 20 }));
    const options = engineOptions([workTool(trace)]);
    await runAll(calls, { ...options, limits: { ...options.limits, maxConcurrency: 3 } });
    assert.equal(trace.widest, 3);
    assert.equal(trace.finished.at(-1), 'c0', 'the other eight fill two slots while the long one runs');
  });

  test('an unsafe call overlaps nothing, and what follows waits for it', async () => {
    const trace = newTrace();
    const calls = [use('r1', 'Work', { ms: 20 }), use('w', 'Work', { ms: 10, safe: false }), use('r2', 'Work', { ms: 1 })];
    await runAll(calls, engineOptions([workTool(trace)]));
    assert.deepEqual(trace.overlaps, []);
    assert.deepEqual(trace.finished, ['r1', 'w', 'r2']);
  });

  test('a call starts when it arrives, before the rest of the message is there', async () => {
    const trace = newTrace();
    const calls = new Channel<ToolUse>();
    calls.push(use('a', 'Work'));
    const running = runAll(calls, engineOptions([workTool(trace)]));
    await trace.until(() => trace.finished.includes('a'));
    calls.push(use('b', 'Work'));
    calls.close();
    assert.deepEqual(outcomes(await running), ['a ok', 'b ok']);
  });

  test('a safe call that arrives never overtakes a waiting unsafe one', async () => {
    const trace = newTrace();
    const calls = new Channel<ToolUse>();
    calls.push(use('a', 'Work', { ms: 40 }));
    calls.push(use('w', 'Work', { safe: false }));
    calls.push(use('b', 'Work'));
    calls.close();
    await runAll(calls, engineOptions([workTool(trace)]));
    assert.deepEqual(trace.started, ['a', 'w', 'b']);
  });
});

describe('exactly one result a call', () => {
  test('whatever a tool does, its call has one result in its place', async () => {
    const names = [
      'Throws',
      'Rejects',
      'ThrowsNothing',
      'Hangs',
      'Floods',
      'Huge',
      'Empty',
      'NoResult',
      'BadView',
      'BadValidator',
      'BadPredicate',
    ];
    const unknown = ['Nope', 'constructor', '__proto__', '', 'with space'];
    const calls = [...names, ...unknown].map((name, n) => use(`c${n}`, name));
    const events = await runAll(calls, engineOptions(Object.values(badTools)));
    assert.deepEqual(
      results(events).map(({ name, outcome }) => `${name}: ${outcome}`),
      [
        'Throws: tool_error',
        'Rejects: tool_error',
        'ThrowsNothing: tool_error',
        'Hangs: timed_out',
        'Floods: timed_out',
        'Huge: ok',
        'Empty: ok',
        'NoResult: tool_error',
        'BadView: ok',
        'BadValidator: invalid_input',
        'BadPredicate: ok',
        'Nope: unknown_tool',
        'constructor: unknown_tool',
        '__proto__: unknown_tool',
        ': unknown_tool',
        'with space: unknown_tool',
      ],
    );
    assert.equal(new Set(results(events).map(({ tool_use_id }) => tool_use_id)).size, calls.length);
  });

  test('an unknown tool is told the name that was meant, or which tools there are', async () => {
    const tools = ['Work', 'Shell', 'Look'].map((name) => workTool(newTrace(), { name }));
    const said = async (name: string, options = engineOptions(tools)): Promise<string> =>
      resultText(results(await runAll([use('a', name)], options))[0]);
    for (const name of ['work', 'Wrok', 'functions.Work', 'WorkTool', 'work_now'])
      assert.match(await said(name), /Did you mean Work\?/, name);
    assert.match(await said('Nothing'), /^<tool_use_error>No tool named "Nothing" is available\. The tools are: Look, Shell, Work\.</);
    const many = Array.from({ length: 40 }, (_, n) => workTool(newTrace(), { name: `Many${n}` }));
    assert.match(await said('Nothing', engineOptions(many)), /is available\. Use one of the tools you were given\.</);
    const silent: ToolCatalog = { find: () => undefined, schema: () => ({}), validate: (_tool, input) => ({ ok: true, input }) };
    assert.match(await said('work', engineOptions([], { catalog: silent })), /is available\. Use one of the tools you were given\.</);
  });

  test('a tool that ignores its abort is closed without it after its grace', async () => {
    const options = engineOptions([badTools.ignoresAbort]);
    const turn = startAll([use('a', 'IgnoresAbort')], options);
    await turn.event(of('call_started', 'a'));
    options.control.abort('stop');
    assert.deepEqual(outcomes(await turn.events), ['a aborted']);
  });

  test('a policy that throws denies, with its reason', async () => {
    const options = engineOptions([workTool()], {
      policy: {
        decide() {
          throw new Error('rules are broken');
        },
      },
    });
    const events = await runAll([use('a', 'Work')], options);
    assert.deepEqual(outcomes(events), ['a denied']);
    assert.match(resultText(results(events)[0]), /rules are broken/);
    assert.ok(!events.some(({ type }) => type === 'call_started'));
  });

  test('an unknown tool, a predicate that throws and one that gives a promise count as unsafe', async () => {
    const calls = [use('a', 'Work'), use('b', 'Nope'), use('c', 'BadPredicate'), use('d', 'PromisePredicate'), use('e', 'Work')];
    const events = await runAll(calls, engineOptions([workTool(), ...Object.values(badTools)]));
    const batches = events.flatMap((event) => (event.type === 'call_queued' ? [`${event.batch}${event.concurrent ? ' safe' : ''}`] : []));
    assert.deepEqual(batches, ['0 safe', '1', '2', '3', '4 safe']);
  });

  test('text that could not be parsed becomes that call’s invalid_input, and its siblings run', async () => {
    const bad: ToolUse = { id: 'b', name: 'Work', input: '{"ms":', inputError: 'Unexpected end of JSON input at position 6' };
    const events = await runAll([use('a', 'Work'), bad, use('c', 'Work')], engineOptions([workTool()]));
    assert.deepEqual(outcomes(events), ['a ok', 'b invalid_input', 'c ok']);
    assert.match(resultText(results(events)[1]), /position 6/);
  });

  test('error texts are sanitised and wrapped', async () => {
    const events = await runAll([use('a', 'Throws')], engineOptions([badTools.throws]));
    const text = resultText(results(events)[0]);
    assert.match(text, /^<tool_use_error>[\s\S]*<\/tool_use_error>$/);
    assert.doesNotMatch(text, /<system>/);
  });

  test('a result over the limit is kept whole in a file and says where', async () => {
    const kept = new Map<string, number>();
    const options = engineOptions([badTools.huge], {
      outputs: {
        pathFor: (_turn, index) => `/outputs/${index}.txt`,
        write: (path, text) => (kept.set(path, text.length), Promise.resolve(text.length)),
      },
    });
    const text = resultText(results(await runAll([use('a', 'Huge')], options))[0]);
    assert.equal(kept.get('/outputs/0.txt'), 1_000_000);
    assert.ok(text.length < 51_000);
    assert.match(text, /\/outputs\/0\.txt/);
  });
});

describe('siblings', () => {
  const shell = (trace = newTrace()) => workTool(trace, { name: 'Shell', abortsSiblings: true });

  test('a failing shell stops the shells of its batch, and leaves file and search calls, later batches and finished ones alone', async () => {
    const calls = [
      use('done', 'Shell', { ms: 1 }),
      use('bad', 'Shell', { ms: 30, fail: true }),
      use('long', 'Shell', { ms: 5000 }),
      use('read', 'Work', { ms: 60 }),
      use('w', 'Work', { safe: false }),
      use('later', 'Shell', { ms: 1 }),
    ];
    const events = await runAll(calls, engineOptions([shell(), workTool()]));
    assert.deepEqual(outcomes(events), ['done ok', 'bad tool_error', 'long cancelled_sibling', 'read ok', 'w ok', 'later ok']);
    assert.match(resultText(results(events)[2]), /bad/);
  });

  test('a shell that joins the batch after the failure is cancelled too', async () => {
    const calls = new Channel<ToolUse>();
    calls.push(use('bad', 'Shell', { fail: true }));
    const turn = startAll(calls, engineOptions([shell()]));
    await turn.event(of('call_finished', 'bad'));
    calls.push(use('late', 'Shell'));
    calls.close();
    assert.deepEqual(outcomes(await turn.events), ['bad tool_error', 'late cancelled_sibling']);
  });

  test('on_tool_error "continue" lets siblings go on, and a sibling abort leaves the turn itself unaborted', async () => {
    const calls = [use('bad', 'Shell', { fail: true }), use('long', 'Shell', { ms: 30 })];
    assert.deepEqual(outcomes(await runAll(calls, engineOptions([shell()], { onToolError: 'continue' }))), ['bad tool_error', 'long ok']);
    const options = engineOptions([shell()]);
    let after: unknown = 'unset';
    for await (const _ of runTools(calls, options)) after = options.control.stopped;
    assert.equal(after, undefined);
  });
});

describe('stopping', () => {
  test('an abort kills what runs, does not start what waits, and each has its result', async () => {
    const trace = newTrace();
    const options = engineOptions([workTool(trace)]);
    const calls = [use('a', 'Work', { ms: 5 }), use('b', 'Work', { ms: 60_000 }), use('w', 'Work', { safe: false }), use('c', 'Work')];
    const turn = startAll(calls, options);
    await turn.event(of('call_finished', 'a'));
    await trace.until(() => trace.started.includes('b'));
    options.control.abort('the user pressed stop');
    const events = await turn.events;
    assert.deepEqual(outcomes(events), ['a ok', 'b aborted', 'w aborted', 'c aborted']);
    assert.deepEqual(trace.started, ['a', 'b']);
    assert.match(resultText(results(events)[1]), /the user pressed stop/);
  });

  test('a discard drops everything: no result goes out after it', async () => {
    const options = engineOptions([workTool()]);
    const turn = startAll([use('a', 'Work', { ms: 60_000 }), use('b', 'Work')], options);
    await turn.event(of('call_finished', 'b'));
    options.control.discard('fell back');
    assert.deepEqual(results(await turn.events), []);
  });

  test('cancelling one call leaves the others running', async () => {
    const options = engineOptions([workTool()]);
    const turn = startAll([use('a', 'Work', { ms: 60_000 }), use('b', 'Work', { ms: 40 })], options);
    await turn.event(of('call_started', 'a'));
    options.control.cancel('a', 'not this one');
    assert.deepEqual(outcomes(await turn.events), ['a aborted', 'b ok']);
  });

  test('a write that declares it finishes its critical section although the turn is aborted', async () => {
    const started = Promise.withResolvers<void>();
    const write = buildTool({
      name: 'Critical',
      inputSchema: z.looseObject({}),
      description: () => '',
      interruptBehavior: 'finish',
      async call(_input, { signal }) {
        started.resolve();
        await sleep(40, undefined, { signal });
        return { content: 'written whole' };
      },
    });
    const options = engineOptions([write]);
    const turn = startAll([use('a', 'Critical'), use('b', 'Critical')], options);
    await started.promise;
    options.control.abort('stop');
    assert.deepEqual(outcomes(await turn.events), ['a ok', 'b aborted']);
  });

  test('leaving the iteration stops what runs and starts nothing more', async () => {
    const trace = newTrace();
    const calls = [use('a', 'Work', { ms: 5000 }), use('b', 'Work', { safe: false })];
    for await (const _ of runTools(calls, engineOptions([workTool(trace)]))) break;
    assert.equal(trace.running.size, 0);
    assert.ok(!trace.started.includes('b'));
  });

  test('leaving ends the turn also while its input is still open', async () => {
    const calls = new Channel<ToolUse>();
    calls.push(use('a', 'Work'));
    for await (const _ of runTools(calls, engineOptions([workTool()]))) break;
  });

  test('a consumer that does not come back slows production', async () => {
    const trace = newTrace();
    const options = engineOptions([workTool(trace)]);
    const limits = { ...options.limits, bufferedEvents: 10 };
    const calls = Array.from({ length: 500 }, (_, n) => use(`c${n}`, 'Work'));
    const events = runTools(calls, { ...options, limits });
    await events.next();
    await settle();
    const whileWaiting = trace.started.length;
    assert.ok(whileWaiting < 60, `${whileWaiting} of 500 started while nobody took results`);
    let count = 0;
    for await (const batch of events) count += results(batch).length;
    assert.ok(count > 400);
  });
});

describe('context', () => {
  const change = (name: string, safe: boolean) =>
    buildTool({
      name,
      inputSchema: z.strictObject({ ms: z.number().default(0), add: z.string(), fail: z.boolean().default(false) }),
      description: () => '',
      isConcurrencySafe: () => safe,
      async *call({ ms, add, fail }, { state }) {
        await sleep(ms);
        yield { type: 'context' as const, modify: (now: SessionState) => ({ ...now, loadedTools: [...now.loadedTools, `${add}1`] }) };
        if (fail) throw new Error('failed');
        return {
          content: state.loadedTools.join(','),
          contextModifier: (now: SessionState) => ({ ...now, loadedTools: [...now.loadedTools, `${add}2`] }),
        };
      },
    });

  test('a serial call sees what the one before it changed', async () => {
    const events = await runAll(
      [use('a', 'Alone', { add: 'a' }), use('b', 'Alone', { add: 'b' })],
      engineOptions([change('Alone', false)]),
    );
    assert.equal(resultText(results(events)[1]), 'a1,a2');
  });

  test('changes of a concurrent batch apply after it, in call order, those of failed calls not at all', async () => {
    const calls = [
      use('a', 'Safe', { add: 'a', ms: 30 }),
      use('b', 'Safe', { add: 'b', fail: true }),
      use('c', 'Safe', { add: 'c' }),
      use('d', 'Alone', { add: 'd' }),
    ];
    const events = await runAll(calls, engineOptions([change('Safe', true), change('Alone', false)]));
    assert.equal(resultText(results(events)[3]), 'a1,a2,c1,c2');
    const changed = events.findIndex(({ type }) => type === 'context_changed');
    const lastOfBatch = events.findIndex((event) => event.type === 'tool_result' && event.tool_use_id === 'c');
    assert.ok(changed > lastOfBatch);
  });

  test('a modifier that throws is reported and skipped', async () => {
    const bad = buildTool({
      name: 'Bad',
      inputSchema: z.looseObject({}),
      description: () => '',
      call: () => ({
        content: 'ok',
        contextModifier: () => {
          throw new Error('bad modifier');
        },
      }),
    });
    const events = await runAll([use('a', 'Bad'), use('b', 'Bad')], engineOptions([bad]));
    assert.deepEqual(outcomes(events), ['a ok', 'b ok']);
    assert.ok(events.some((event) => event.type === 'progress' && JSON.stringify(event.data).includes('bad modifier')));
  });
});

describe('what observers see', () => {
  test('derived fields are added to a copy: the tool and the record keep the model’s own input', async () => {
    let got: unknown;
    const tool = buildTool({
      name: 'Derived',
      inputSchema: z.looseObject({ nested: z.object({ path: z.string() }) }),
      description: () => '',
      backfillObservableInput: (input) => {
        (input['nested'] as { path: string }).path = '/abs';
        return { ...input, extra: true };
      },
      call: (input) => {
        got = input;
        return { content: 'ok' };
      },
    });
    const given = { nested: { path: 'rel' } };
    const events = await runAll([use('a', 'Derived', given)], engineOptions([tool]));
    const started = events.find((event) => event.type === 'call_started');
    assert.deepEqual(started?.type === 'call_started' && started.input, { nested: { path: '/abs' }, extra: true });
    assert.deepEqual(got, { nested: { path: 'rel' } });
    assert.deepEqual(given, { nested: { path: 'rel' } });
  });

  test('repaired values are named in the call’s start', async () => {
    const events = await runAll([use('a', 'Work', { ms: '5' })], engineOptions([workTool()]));
    const started = events.find((event) => event.type === 'call_started');
    assert.deepEqual(started?.type === 'call_started' && started.coerced, ['ms']);
  });

  test('a call with effects starts only after its start has been dealt with by the consumer', async () => {
    const trace = newTrace();
    const events = runTools([use('w', 'Work', { safe: false })], engineOptions([workTool(trace)], { control: new TurnControl() }));
    let seen: EngineEvent[] = [];
    while (!seen.some(({ type }) => type === 'call_started')) seen = seen.concat((await events.next()).value ?? []);
    await settle();
    assert.deepEqual(trace.started, []);
    await events.next();
    assert.deepEqual(trace.started, ['w']);
    for await (const _ of events);
  });
});
