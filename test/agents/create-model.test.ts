// Questions to a model over a real server: what goes over the wire, what is tried again, and what is told when it fails.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_MODEL } from '../../src/agents/without-model.ts';
import type { StreamingModel } from '../../src/agents/ports.ts';
import { startModelServer, type ScriptedAnswer } from '../support/model-server.ts';
import { KEY, keylessModelAt, modelAt } from './loop-harness.ts';

const AT_ONCE = { 'retry-after-ms': '1' };
const never = new AbortController().signal;
const ask = (model: StreamingModel, signal = never): ReturnType<StreamingModel['ask']> =>
  model.ask({ system: 'Be brief.', prompt: 'Why?', maxTokens: 50, signal });

describe('a question to the model', () => {
  test('goes to the configured model with the key, and nothing of the environment', async (t) => {
    const before = { ...process.env };
    Object.assign(process.env, {
      ANTHROPIC_API_KEY: 'sk-of-somebody-else',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_AUTH_TOKEN: 'other',
    });
    t.after(() => {
      process.env = before;
    });
    const server = await startModelServer(t, () => ({ text: 'Because.', usage: { input: 9, output: 3 } }));
    assert.deepEqual(await ask(modelAt(server.url)), { text: 'Because.', usage: { inputTokens: 9, outputTokens: 3 } });
    assert.equal((await ask(keylessModelAt(`${server.url}/v1/`))).text, 'Because.');
    const [keyed, keyless] = server.requests;
    assert.deepEqual([keyed?.path, keyless?.path], ['/v1/messages', '/v1/messages']);
    assert.deepEqual([keyed?.body['model'], keyed?.body['max_tokens'], keyed?.body['system'][0].text], ['scripted', 50, 'Be brief.']);
    assert.equal(keyed?.headers['authorization'] ?? keyed?.headers['x-api-key'], `Bearer ${KEY}`);
    assert.deepEqual([keyless?.headers['authorization'], keyless?.headers['x-api-key']], [undefined, undefined]);
  });

  test('is asked again when the API has too much to do, or its answer breaks off', async (t) => {
    const answers: ScriptedAnswer[] = [
      { status: 529, headers: AT_ONCE },
      { status: 429, headers: AT_ONCE },
      { text: 'half an ans', breakOff: true },
      { text: 'a whole answer' },
    ];
    const server = await startModelServer(t, (_request, index) => answers[index] ?? { status: 400 });
    assert.equal((await ask(modelAt(server.url))).text, 'a whole answer');
    assert.equal(server.requests.length, 4);
  });

  test('is asked four times at most', async (t) => {
    const server = await startModelServer(t, () => ({ status: 500, headers: AT_ONCE, message: 'our fault.' }));
    await assert.rejects(ask(modelAt(server.url)), /cannot be asked: the API fails: try again later \(status 500: our fault\)\.$/);
    assert.equal(server.requests.length, 4);
  });

  const hopeless: [what: string, answer: ScriptedAnswer, says: RegExp][] = [
    ['a key that is not taken', { status: 401 }, /does not take the key of this service.*operator/],
    ['a model that is not known', { status: 404 }, /knows no such model/],
    [
      'a question that is refused',
      { status: 400, message: 'prompt is too long' },
      /refuses the question \(status 400: prompt is too long\)/,
    ],
    ['an API that wants to be left alone for long', { status: 429, headers: { 'retry-after': '3600' } }, /more questions than it takes/],
    ['a refusal in the middle of the answer', { error: 'invalid_request_error', text: 'I' }, /refuses the question \(in the middle\)/],
    ['an answer of nothing', { stop: 'end_turn' }, /gave no answer \(end_turn\)/],
  ];
  for (const [what, answer, says] of hopeless) {
    test(`fails at once, in words that help, for ${what}`, async (t) => {
      const server = await startModelServer(t, () => answer);
      await assert.rejects(ask(modelAt(server.url)), says);
      assert.equal(server.requests.length, 1);
    });
  }

  test('never shows the key, also where the API repeats it', async (t) => {
    const server = await startModelServer(t, ({ headers }) => ({ status: 400, message: `bad key ${headers['authorization']}` }));
    await assert.rejects(ask(modelAt(server.url)), (error: Error) => error.message.includes('***') && !error.message.includes(KEY));
  });

  for (const [what, raw] of [
    ['no event stream', '<html>not here</html>'],
    ['events that are no JSON', 'event: message_start\ndata: {"type"\n\n'],
    [
      'pieces of a block that never began',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"x"}}\n\n',
    ],
    ['a start without a message', 'event: message_start\ndata: {"type":"message_start"}\n\n'],
  ] as const) {
    test(`fails, and does no harm, where the answer is ${what}`, async (t) => {
      const server = await startModelServer(t, (_request, index) => (index < 1 ? { raw } : { status: 401 }));
      await assert.rejects(ask(modelAt(server.url)), /does not take the key/);
      assert.equal(server.requests.length, 2, 'it was asked again');
    });
  }

  test('that gets no sign of life counts as broken off', async (t) => {
    const server = await startModelServer(t, (_request, index) =>
      index === 0 ? { text: 'I', until: new Promise(() => {}) } : { text: 'here' },
    );
    assert.equal((await ask(modelAt(server.url, { silenceMs: 100 }))).text, 'here');
  });

  test('ends when it is stopped, also while it waits to be asked again', async (t) => {
    const stop = new AbortController();
    const server = await startModelServer(t, () => {
      setImmediate(() => stop.abort({ kind: 'aborted', message: 'Stop it.' }));
      return { status: 529, headers: { 'retry-after': '50' } };
    });
    await assert.rejects(ask(modelAt(server.url), stop.signal), /Stop it/);
    assert.equal(server.requests.length, 1);
  });

  test('cannot be reached where nobody listens', async () => {
    const refused = modelAt('http://127.0.0.1:9', { fetch: () => Promise.reject(new TypeError('fetch failed')) });
    const soon = AbortSignal.timeout(60_000);
    await assert.rejects(ask(refused, soon), /cannot be reached/);
  });

  test('says so where there is no model', async () => {
    assert.equal(NO_MODEL.available, false);
    await assert.rejects(NO_MODEL.ask({ prompt: 'x', maxTokens: 1, signal: never }), /no model of its own/);
  });
});
