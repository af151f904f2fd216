// An agent over a real server that speaks the Messages API: what it is asked, what it does, and how it ends.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastWords } from '../support/model-server.ts';
import { startLoop } from './loop-harness.ts';

describe('an agent', () => {
  test('asks, runs the calls, hands their results back, and ends with the last words of the model', async (t) => {
    const loop = await startLoop(
      t,
      (_request, index) =>
        index === 0
          ? {
              text: 'Let me look.',
              calls: [
                { id: 'a', name: 'Echo', input: { n: 1 } },
                { id: 'b', name: 'Echo', input: { 'ä "x"': [1, null] } },
              ],
            }
          : { text: 'It is two.', usage: { input: 30, output: 7 } },
      { answer: ({ id }) => `result of ${id}` },
    );
    const answer = await loop.run({ prompt: 'How many?' });
    assert.deepEqual(answer, {
      text: 'It is two.',
      usage: { inputTokens: 40, outputTokens: 12 },
      toolUses: 2,
      sessionId: 'ses_1',
      stop: 'end_turn',
    });
    assert.deepEqual(
      loop.calls.map(({ id, input }) => [id, input]),
      [
        ['a', { n: 1 }],
        ['b', { 'ä "x"': [1, null] }],
      ],
    );
    const [first, second] = loop.server.requests.map(({ body }) => body);
    assert.equal(first?.['stream'], true);
    assert.equal(first?.['tools'][0].name, 'Echo');
    assert.match(first?.['system'][0].text, /working directory is \/w/);
    assert.deepEqual(
      second?.['messages'].map(({ role, content }: any) => [role, content.map(({ type }: any) => type).join()]),
      [
        ['user', 'text'],
        ['assistant', 'text,tool_use,tool_use'],
        ['user', 'tool_result,tool_result'],
      ],
    );
    assert.deepEqual(second?.['messages'][1].content[2], { type: 'tool_use', id: 'b', name: 'Echo', input: { 'ä "x"': [1, null] } });
    assert.equal(loop.closed, 1);
  });

  test('tells at once that its session is there, and its words as they come, in pieces worth telling', async (t) => {
    const text = 'One sentence that is not short.\nAnd a second one.';
    const loop = await startLoop(t, () => ({ text }));
    await loop.run();
    assert.deepEqual(loop.progress[0], { kind: 'agent', session_id: 'ses_1', status: 'started' });
    const pieces = loop.progress.flatMap((data) => (data.kind === 'agent_text' ? [data.text] : []));
    assert.equal(pieces.join(''), `${text}\n`);
    assert.ok(pieces.length <= 3, `${pieces.length} pieces`);
  });

  test('gives thinking back signed and in its place, which the API insists on', async (t) => {
    const loop = await startLoop(t, (_request, index) =>
      index === 0 ? { thinking: 'Hmm, hmm.', text: ' ', calls: [{ name: 'Echo' }] } : { text: 'done' },
    );
    await loop.run();
    const [thinking, call, ...rest] = loop.server.requests[1]?.body['messages'][1].content ?? [];
    assert.deepEqual(thinking, { type: 'thinking', thinking: 'Hmm, hmm.', signature: 'signed' });
    assert.equal(call.type, 'tool_use');
    assert.deepEqual(rest, [], 'a text that says nothing is not sent back: the API refuses it');
  });

  for (const json of ['{"path": "a', '{path: 1}', '[1]', '{"a":1} and more']) {
    test(`is told that ${json} is no JSON object; nothing is completed or repaired`, async (t) => {
      const loop = await startLoop(t, (_request, index) =>
        index === 0
          ? {
              calls: [
                { id: 'bad', name: 'Echo', json },
                { id: 'good', name: 'Echo' },
              ],
            }
          : { text: 'sorry' },
      );
      await loop.run();
      assert.match(loop.calls[0]?.inputError ?? '', /arguments/);
      assert.equal(loop.calls[1]?.inputError, undefined);
      assert.deepEqual(loop.server.requests[1]?.body['messages'][1].content[0].input, { INVALID_JSON: json });
      assert.match(lastWords(loop.server.requests[1] ?? assert.fail()), /arguments/);
    });
  }

  test('takes a call without arguments for one with none', async (t) => {
    const loop = await startLoop(t, (_request, index) => (index === 0 ? { calls: [{ name: 'Echo', json: '' }] } : { text: 'ok' }));
    await loop.run();
    assert.deepEqual(loop.calls[0]?.input, {});
  });

  test('gets what others have written to it before each question', async (t) => {
    const waiting = [['first'], ['second', 'third'], []];
    const loop = await startLoop(t, (_request, index) => (index < 2 ? { calls: [{ name: 'Echo' }] } : { text: 'ok' }));
    await loop.run({ prompt: 'Begin.', inbox: () => waiting.shift() ?? [] });
    assert.deepEqual(
      loop.server.requests.map((request) => lastWords(request)),
      ['Begin.\nfirst', 'done\nsecond\nthird', 'done'],
    );
  });

  test('goes on with what it is given when it has no more to do, and ends when there is nothing', async (t) => {
    const more = [['One more thing.'], []];
    const loop = await startLoop(t, (_request, index) => ({ text: `answer ${index}` }));
    const answer = await loop.run({ waitForMore: async () => more.shift() ?? [] });
    assert.equal(answer.text, 'answer 1');
    assert.equal(lastWords(loop.server.requests[1] ?? assert.fail()), 'One more thing.');
  });

  test('is asked on where the API has paused it', async (t) => {
    const loop = await startLoop(t, (_request, index) => (index === 0 ? { text: 'wait', stop: 'pause_turn' } : { text: 'there' }));
    assert.equal((await loop.run()).text, 'there');
    assert.equal(loop.server.requests[1]?.body['messages'].at(-1).role, 'assistant');
  });

  test('explores in the mode plan, and works in that of its session', async (t) => {
    const loop = await startLoop(t, () => ({ text: 'ok' }));
    await loop.run({ type: 'explore' });
    await loop.run({ type: 'general-purpose' });
    const [explore, general] = loop.opened;
    assert.equal(explore?.order.state.mode, 'plan');
    assert.equal(general?.order.state.mode, 'default');
    await assert.rejects(loop.run({ type: 'poet' }), /no type of agent "poet": give one of "general-purpose", "explore"/);
  });

  test('that is a member of a team knows its name', async (t) => {
    const loop = await startLoop(t, () => ({ text: 'ok' }));
    await loop.run({ member: { team: 'crew', name: 'ada' } });
    assert.match(loop.server.requests[0]?.body['system'][0].text, /member of a team[^]*name is ada/);
  });
});

describe('an agent ends', () => {
  test('at its limit of questions, told so before the last one, whose calls do not run', async (t) => {
    const loop = await startLoop(t, (_request, index) => ({ text: `step ${index}`, calls: [{ name: 'Echo' }] }), {
      limits: { maxTurns: 3 },
    });
    const answer = await loop.run();
    assert.deepEqual([answer.stop, answer.text, loop.calls.length, loop.server.requests.length], ['max_turns', 'step 2', 2, 3]);
    assert.match(lastWords(loop.server.requests[2] ?? assert.fail()), /last step/);
    assert.doesNotMatch(lastWords(loop.server.requests[1] ?? assert.fail()), /last step/);
  });

  test('when its tokens are used up', async (t) => {
    const loop = await startLoop(t, () => ({ text: 'x', calls: [{ name: 'Echo' }], usage: { input: 60, output: 40 } }), {
      limits: { maxTokens: 150 },
    });
    const answer = await loop.run();
    assert.deepEqual([answer.stop, answer.usage, loop.server.requests.length], ['max_tokens', { inputTokens: 120, outputTokens: 80 }, 2]);
  });

  for (const stop of ['max_tokens', 'model_context_window_exceeded']) {
    test(`where an answer is cut off (${stop}), with what there is, and runs no half call`, async (t) => {
      const loop = await startLoop(t, () => ({ text: 'So far:', calls: [{ name: 'Echo', json: '{"a' }], stop }));
      const answer = await loop.run();
      assert.deepEqual([answer.stop, answer.text, loop.calls.length], ['max_tokens', 'So far:', 0]);
    });
  }

  test('when its conversation is longer than the API takes, before it asks in vain', async (t) => {
    const loop = await startLoop(t, () => ({ text: 'more', calls: [{ name: 'Echo' }] }), { answer: () => 'x'.repeat(9 * 1024 * 1024) });
    assert.equal((await loop.run()).stop, 'max_tokens');
    assert.equal(loop.server.requests.length, 3);
  });

  test('with its last words when the model refuses, or a hook stops it', async (t) => {
    const refused = await startLoop(t, (_request, index) =>
      index === 0 ? { text: 'Working.', calls: [{ name: 'Echo' }] } : { stop: 'refusal' },
    );
    await assert.rejects(refused.run(), /ended after 2 steps\. The model refuses[^]*last words of the agent: Working\./);
    const stopped = await startLoop(t, () => ({ text: 'Now.', calls: [{ name: 'Echo' }] }), { stop: { reason: 'enough' } });
    await assert.rejects(stopped.run(), /A hook stopped it: enough[^]*Now\./);
    assert.deepEqual([refused.closed, stopped.closed, stopped.server.requests.length], [1, 1, 1]);
  });

  test('when it is stopped while the model speaks: the question is taken back', async (t) => {
    const stop = new AbortController();
    const loop = await startLoop(t, () => ({ text: 'I begin', until: new Promise(() => {}) }));
    const running = loop.run({ signal: stop.signal });
    const request = await loop.server.request(0);
    const gone = new Promise<void>((resolve) => request.gone.addEventListener('abort', () => resolve(), { once: true }));
    stop.abort({ kind: 'aborted', message: 'The user interrupted it.' });
    await assert.rejects(running, /The user interrupted it/);
    await gone;
    assert.deepEqual([loop.closed, loop.server.requests.length], [1, 1]);
  });

  test('when it is stopped while a call runs, which hears of it', async (t) => {
    const stop = new AbortController();
    const loop = await startLoop(t, () => ({ calls: [{ name: 'Echo' }] }), {
      answer: (_use, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
          stop.abort({ kind: 'aborted', message: 'Enough.' });
        }),
    });
    await assert.rejects(loop.run({ signal: stop.signal }), /stopped/);
    assert.equal(loop.closed, 1);
  });
});

describe('agents of a session', () => {
  test('are as many at once as may be, and one more as soon as one has ended', async (t) => {
    const end = Promise.withResolvers<void>();
    const loop = await startLoop(t, () => ({ text: 'ok', until: end.promise }), { limits: { perSession: 2 } });
    const two = [loop.run(), loop.run()];
    await assert.rejects(loop.run(), /2 agents run in this session/);
    end.resolve();
    await Promise.all(two);
    assert.equal((await loop.run()).text, 'ok');
  });

  test('start none where the depth is used up', async (t) => {
    const loop = await startLoop(t, () => ({ text: 'ok' }), { limits: { depth: 0 } });
    await assert.rejects(loop.run(), /at this depth/);
    assert.equal(loop.opened.length, 0);
  });
});
