import assert from 'node:assert/strict';
import { before, after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolexecClient, type Session } from '../../client/src/index.ts';
import { WebSocket } from 'ws';
import { startServer, type Json, type TestServer } from '../support/server.ts';
import { assertEachOnce, assertInOrder, collect, resultIds } from './assertions.ts';
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { anthropicEvents, chatChunks, numbered, responsesEvents } from './model-events.ts';

const endings: (() => void | Promise<void>)[] = [];
const suite = { after: (end: () => void | Promise<void>) => void endings.push(end) };
let server: TestServer;
let proxy: CuttingProxy;
let client: ToolexecClient;

before(async () => {
  // Only `after` is needed of a test here.
  server = await startServer(suite as Parameters<typeof startServer>[0], { env: { TOOLEXEC_API_KEYS: 'me:secret+key/1=' } });
  proxy = await startCuttingProxy(suite, server.url);
  client = new ToolexecClient({ url: proxy.url, key: 'secret+key/1=' });
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

function newSession(options: Json = {}): Promise<Session> {
  return client.sessions.create({ permissions: { mode: 'bypassPermissions' }, ...options });
}

/** In the handshake, and between and within the frames after it. */
const CUTS = [
  ['client', 100],
  ['client', 450],
  ['client', 700],
  ['client', 1000],
  ['service', 100],
  ['service', 1200],
  ['service', 2000],
  ['service', 4000],
] as const;

/** Its index among the pieces. */
const LAST_OF_FIRST_CALL = 17;

const FORMATS = { anthropic: anthropicEvents, openai_chat: chatChunks, openai_responses: responsesEvents };

for (const [format, eventsOf] of Object.entries(FORMATS)) {
  describe(`a model's stream in the format ${format}`, () => {
    test('is run as it comes, and answered in its own format', async () => {
      const session = await newSession();
      const calls = numbered(3);
      const stream = session.stream(eventsOf(calls));
      const [events, messages, turn] = [await collect(stream), await stream.messages, await stream.turn];
      assert.equal(turn.status, 'completed');
      assert.equal(turn.stop, null);
      assert.deepEqual(
        turn.calls.map(({ tool_use_id: id, outcome }) => [id, outcome]),
        calls.map(({ id }) => [id, 'ok']),
      );
      assertInOrder(events);
      assert.deepEqual(await whole(session, turn.id), messages);
      assert.equal(events.find((event) => event.type === 'turn_started')?.format, format);
    });

    test('without calls gives no messages', async () => {
      const stream = (await newSession()).stream(eventsOf([]));
      assert.deepEqual(await stream.messages, []);
      assert.equal((await stream.turn).status, 'completed');
    });

    test('tells the model what is wrong with arguments that are no JSON, and runs the others', async () => {
      const [good, bad] = numbered(2);
      const stream = (await newSession()).stream(eventsOf([{ ...bad, json: '{"command": "echo' } as never, good as never]));
      const [first, second] = (await stream.turn).calls;
      assert.deepEqual([first?.outcome, second?.outcome], ['invalid_input', 'ok']);
      assert.match(JSON.stringify(await stream.messages), /not valid JSON.*position/);
    });

    for (const [side, bytes] of CUTS) {
      test(`survives a connection that is cut ${bytes} bytes from the ${side}`, async () => {
        const session = await newSession();
        const calls = numbered(4);
        const { cuts } = proxy;
        proxy.cutAfter(bytes, side);
        const stream = session.stream(eventsOf(calls));
        const events = await collect(stream);
        assert.equal(proxy.cuts, cuts + 1, 'the connection was cut');
        assertInOrder(events);
        await assertEachOnce(session, calls, events);
        assert.deepEqual(
          resultIds(await stream.messages),
          calls.map(({ id }) => id),
        );
        assert.equal((await stream.turn).status, 'completed');
      });
    }
  });
}

test('a model that writes slowly goes on in the same turn after each drop', async () => {
  const session = await newSession({ execution: { input_idle_ms: 5_000 } });
  const calls = numbered(3);
  const stream = session.stream(
    anthropicEvents(calls, async (piece) => {
      if (piece % 20 !== 0) return;
      proxy.cut();
      await sleep(200);
    }),
  );
  const events = await collect(stream);
  assertInOrder(events);
  await assertEachOnce(session, calls, events);
  assert.equal((await stream.turn).stop, null);
  assert.equal((await session.turns.list()).data.length, 1);
});

test('calls start before the model has finished, and a reader sees that', async () => {
  const session = await newSession();
  const calls = numbered(2);
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const source = anthropicEvents(calls, async (piece) => {
    if (piece !== LAST_OF_FIRST_CALL) return;
    await first.promise;
    order.push('the model goes on');
  });
  for await (const event of session.stream(source)) {
    if (event.type !== 'tool_result') continue;
    order.push(event.tool_use_id);
    first.resolve();
  }
  assert.deepEqual(order, [calls[0]?.id, 'the model goes on', calls[1]?.id]);
});

test('calls are given one by one, and several sources of them are taken', async () => {
  const session = await newSession();
  const given = session.stream();
  given.send({ type: 'tool_use', id: 'one', name: 'Bash', input: { command: 'echo 1' } });
  given.send({ type: 'tool_use', id: 'two', name: 'Bash', input: { command: 'echo 2' } });
  given.end();
  assert.deepEqual(resultIds(await given.messages), ['one', 'two']);
  const blocks = [
    { type: 'text', text: 'Now.' },
    { type: 'tool_use', id: 'three', name: 'Bash', input: { command: 'echo 3' } },
  ];
  assert.deepEqual(resultIds(await session.stream(blocks).messages), ['three']);
});

for (const stop of ['abort', 'discard'] as const) {
  test(`${stop} stops what runs`, async () => {
    const session = await newSession();
    const stream = session.stream();
    stream.send({ type: 'tool_use', id: 'long', name: 'Bash', input: { command: 'sleep 1000' } });
    for await (const event of stream) if (event.type === 'call_started') stream[stop]('Enough.');
    assert.equal((await stream.turn).status, stop === 'abort' ? 'aborted' : 'discarded');
    assert.deepEqual(resultIds(await stream.messages), stop === 'abort' ? ['long'] : []);
    if (stop === 'abort') assert.match(JSON.stringify(await stream.messages), /Enough/);
  });
}

test('a model that fails in the middle: its results are dropped, and the failure is told', async () => {
  const session = await newSession();
  async function* failing(): AsyncGenerator<object> {
    yield { type: 'tool_use', id: 'long', name: 'Bash', input: { command: 'sleep 1000' } };
    await sleep(50);
    throw new Error('The model is overloaded.');
  }
  const stream = session.stream(failing());
  await assert.rejects(stream.messages, /overloaded/);
  await assert.rejects(collect(stream), /overloaded/);
  assert.equal((await session.turns.list()).data[0]?.status, 'discarded');
});

test('a call that the service refuses is a problem of the stream, and leaves no turn open', async () => {
  const session = await newSession();
  await session.stream([{ type: 'tool_use', id: 'same', name: 'Bash', input: { command: 'echo 1' } }]).messages;
  const again = session.stream([{ type: 'tool_use', id: 'same', name: 'Bash', input: { command: 'echo 2' } }]);
  await assert.rejects(again.messages, { name: 'ToolexecProblem', slug: 'tool-use-id-reused', status: 409 });
  assert.equal((await session.info()).status, 'idle');
  const late = session.stream([
    { type: 'tool_use', id: 'new', name: 'Bash', input: { command: 'sleep 1000' } },
    { type: 'tool_use', id: 'same', name: 'Bash', input: { command: 'echo 2' } },
  ]);
  await assert.rejects(late.turn, { slug: 'tool-use-id-reused' });
  assert.equal((await session.turns.list()).data[0]?.status, 'discarded');
});

test('plain calls are answered in the format that is asked for', async () => {
  for (const [format, sign] of [
    ['openai_chat', 'tool_call_id'],
    ['openai_responses', 'call_id'],
    ['anthropic', 'content'],
  ] as const) {
    const session = await newSession();
    const stream = session.stream([{ type: 'tool_use', id: 'one', name: 'Bash', input: { command: 'echo 1' } }], { format });
    assert.ok(sign in ((await stream.messages)[0] ?? {}), format);
  }
});

test('who gives up waiting is told so, and the turn goes on', async () => {
  const session = await newSession();
  const calls = numbered(1);
  const leave = new AbortController();
  const stream = session.stream(anthropicEvents(calls), { signal: leave.signal });
  for await (const event of session.watch({ after: 0 })) if (event.type === 'call_queued') break;
  leave.abort(new Error('I have no time.'));
  await assert.rejects(stream.turn, /no time/);
  for await (const event of session.events()) if (event.type === 'turn_completed') break;
  assert.equal(await (await session.files.get('log')).text(), 'line 0\n');
});

test('a runtime without a WebSocket of its own is given one', async () => {
  const given = new ToolexecClient({ url: proxy.url, key: 'secret+key/1=', WebSocket });
  const session = await given.sessions.create({ permissions: { mode: 'bypassPermissions' } });
  const calls = numbered(2);
  proxy.cutAfter(700, 'client');
  const stream = session.stream(anthropicEvents(calls));
  await assertEachOnce(session, calls, await collect(stream));
});

test('a wrong key and a session that is not there are told at once', async () => {
  const stranger = new ToolexecClient({ url: proxy.url, key: 'a-wrong-key' });
  await assert.rejects(collect(stranger.sessions.open('ses_1').watch()), { slug: 'unauthorized' });
  await assert.rejects(stranger.sessions.list(), { slug: 'unauthorized', status: 401 });
  await assert.rejects(client.sessions.open('ses_none').stream([]).turn, { slug: 'session-not-found' });
  await assert.rejects(collect(client.sessions.open('ses_none').events()), { slug: 'session-not-found', status: 404 });
});

async function whole(session: Session, turnId: string): Promise<unknown> {
  return (await session.turns.get(turnId)).messages;
}
