import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { clientTool, ToolexecClient, type ClientToolResult, type ToolexecEvent } from '../../client/src/index.ts';
import { startServer, type Json, type TestServer } from '../support/server.ts';
import { collect } from './assertions.ts';
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { asking, bash, free } from './sent.ts';

const endings: (() => void | Promise<void>)[] = [];
const suite = { after: (end: () => void | Promise<void>) => void endings.push(end) };
let server: TestServer;
let proxy: CuttingProxy;
let client: ToolexecClient;

before(async () => {
  // Only `after` is needed of a test here.
  server = await startServer(suite as Parameters<typeof startServer>[0]);
  proxy = await startCuttingProxy(suite, server.url);
  client = new ToolexecClient({ url: `${proxy.url}/` });
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

describe('a message that is run', () => {
  test('is answered with what belongs into the conversation', async () => {
    const session = await client.sessions.create(free);
    const { messages, turn, pending } = await session.run(bash('echo hello'));
    assert.deepEqual([turn.status, pending], ['completed', undefined]);
    assert.match(JSON.stringify(messages), /hello/);
  });

  for (const [side, bytes] of [
    ['client', 200],
    ['service', 20],
    ['service', 500],
  ] as const) {
    for (const told of [false, true]) {
      test(`runs once when the connection is cut ${bytes} bytes from the ${side}${told ? ', and its events come once' : ''}`, async () => {
        const session = await client.sessions.create(free);
        const events: ToolexecEvent[] = [];
        const { cuts } = proxy;
        proxy.cutAfter(bytes, side);
        const reply = await session.run(bash('echo line >> log'), told ? { onEvent: (event) => events.push(event) } : {});
        assert.equal(proxy.cuts, cuts + 1);
        assert.equal(reply.turn.status, 'completed');
        assert.equal(await (await session.files.get('log')).text(), 'line\n');
        if (told)
          assert.deepEqual(
            events.flatMap((event) => ('seq' in event ? [event.type] : [])),
            EVENTS,
          );
      });
    }
  }

  test('waits and comes again when the service is told to be busy', async () => {
    let refusals = 0;
    const busy = new ToolexecClient({
      url: server.url,
      fetch: (input, init) => {
        refusals += 1;
        if (refusals <= 2)
          return Promise.resolve(new Response('', { status: refusals === 1 ? 429 : 503, headers: { 'retry-after': '0' } }));
        return fetch(input, init);
      },
    });
    assert.ok((await busy.tools()).tools.length > 0);
    assert.equal(refusals, 3);
  });

  test('comes back with what it waits for when nobody here answers, with events and without', async () => {
    for (const options of [{}, { onEvent: () => undefined }]) {
      const session = await client.sessions.create(asking);
      const message = bash('echo allowed');
      const { turn, pending = [], messages } = await session.run(message, options);
      assert.deepEqual([turn.status, messages], ['requires_action', []]);
      const [wanted] = pending;
      assert.equal(wanted?.type, 'approval');
      if (wanted?.type === 'approval') await session.approvals.answer(wanted.id, { behavior: 'allow' });
      assert.match(JSON.stringify((await session.run(message, options)).messages), /allowed/);
    }
  });

  test('is answered at once where nobody wants to wait, and runs once', async () => {
    const session = await client.sessions.create(free);
    const { messages, turn } = await session.run(bash('until [ -e go ]; do sleep 0.05; done; echo line >> log'), { wait: false });
    assert.deepEqual(messages, []);
    assert.ok(['queued', 'running'].includes(turn.status), turn.status);
    await session.files.put('go', '');
    let reply = await session.turns.get(turn.id, { wait: 30 });
    while (reply.turn.status !== 'completed') reply = await session.turns.get(turn.id, { wait: 30 });
    assert.equal(await (await session.files.get('log')).text(), 'line\n');
  });

  test('that is wrong is a problem with the place of what is wrong', async () => {
    const session = await client.sessions.create();
    await assert.rejects(session.run({ role: 'assistant' }), { name: 'ToolexecProblem', type: '/problems/invalid-request', status: 400 });
    await assert.rejects(client.sessions.create({ ttl_ms: 1 }), ({ errors }: { errors: Json[] }) => errors[0]?.['path'] === 'ttl_ms');
  });
});

const EVENTS = ['turn_started', 'call_queued', 'call_started', 'call_finished', 'tool_result', 'turn_completed'];

describe('approvals', () => {
  test('are answered by the handler, over whichever connection they come, and each once', async () => {
    const session = await client.sessions.create(asking);
    const names: string[] = [];
    const off = session.onApproval(({ name }) => {
      names.push(name);
      return { behavior: 'allow' };
    });
    assert.match(JSON.stringify((await session.run(bash('echo by post'))).messages), /by post/);
    const leave = new AbortController();
    const watched = collect(session.watch({ signal: leave.signal }));
    assert.match(JSON.stringify(await session.stream([...contentOf(bash('echo by stream'))]).messages), /by stream/);
    leave.abort();
    await watched;
    assert.deepEqual(names, ['Bash', 'Bash']);
    off();
    assert.equal((await session.run(bash('echo nobody'))).turn.status, 'requires_action');
  });

  test('are denied by a handler that fails, and the model is told why', async () => {
    const session = await client.sessions.create(asking);
    session.onApproval(() => {
      throw new Error('no screen to ask on');
    });
    const { messages, turn } = await session.run(bash('echo never'));
    assert.equal(turn.calls[0]?.outcome, 'denied');
    assert.match(JSON.stringify(messages), /no screen to ask on/);
  });

  test('are answered when they are told again, where the service could not take the answer before', async () => {
    const session = await client.sessions.create(asking);
    const refused = new AbortController();
    const shaky: typeof fetch = (input, init) => {
      const { url } = new Request(input);
      if (init?.method !== 'POST' || !url.includes('/approvals/') || refused.signal.aborted) return fetch(input, init);
      refused.abort();
      const problem = { type: '/problems/store-unavailable', title: 'Unavailable', status: 503, detail: 'Later.' };
      return Promise.resolve(Response.json(problem, { status: 503 }));
    };
    const there = new ToolexecClient({ url: server.url, retries: 0, fetch: shaky }).sessions.open(session.id);
    there.onApproval(() => ({ behavior: 'allow' }));
    const message = bash('echo allowed');
    await assert.rejects(there.run(message, { signal: refused.signal }));
    assert.match(JSON.stringify((await there.run(message)).messages), /allowed/);
  });

  test('of a log that is read again ask nobody', async () => {
    const session = await client.sessions.create(asking);
    const off = session.onApproval(() => ({ behavior: 'allow' }));
    await session.run(bash('echo once'));
    off();
    const other = client.sessions.open(session.id);
    let count = 0;
    other.onApproval(() => {
      count += 1;
      return { behavior: 'deny' };
    });
    await collect(other.events({ follow: false }));
    await other.run(bash('true'), { signal: AbortSignal.timeout(10_000) });
    assert.equal(count, 1);
  });
});

describe('tools of the client', () => {
  const weather = (run: (city: string) => ClientToolResult | Promise<ClientToolResult>) =>
    clientTool({
      name: 'Weather',
      description: 'Tells the weather of a city.',
      inputSchema: z.object({
        city: z
          .string()
          .describe('Its name.')
          .transform((name) => name.toUpperCase()),
      }),
      annotations: { read_only: true },
      run: ({ city }) => run(city),
    });
  const ask = (id: string, input: unknown = { city: 'Ulm' }): Json => ({ type: 'tool_use', id, name: 'Weather', input });
  const message = (...calls: Json[]): Json => ({ role: 'assistant', content: calls });

  test('are shown to the model by their zod schema, and run here with what the schema makes of the input', async () => {
    const session = await client.sessions.create({ clientTools: [weather((city) => `Sunny in ${city}.`)] });
    const { tools } = await session.tools();
    const shown = tools.find(({ name }) => name === 'Weather') as Json;
    assert.equal(shown['input_schema'].properties.city.description, 'Its name.');
    assert.match(JSON.stringify((await session.run(message(ask('one')))).messages), /Sunny in ULM/);
    assert.match(JSON.stringify(await session.stream([ask('two')]).messages), /Sunny in ULM/);
  });

  test('run once however many readers there are, and whatever connection drops', async () => {
    let runs = 0;
    const tool = weather(async () => {
      runs += 1;
      proxy.cut();
      await sleep(300);
      return 'Rain.';
    });
    const session = await client.sessions.create({ clientTools: [tool] });
    const leave = new AbortController();
    const readers = [session.watch({ after: 0, signal: leave.signal }), session.events({ signal: leave.signal })].map(collect);
    assert.match(JSON.stringify(await session.stream([ask('drop')]).messages), /Rain/);
    leave.abort();
    await Promise.all(readers);
    await collect(session.events({ follow: false }));
    assert.equal(runs, 1);
  });

  test('what they throw is an error that the model reads, and so is input of the wrong kind', async () => {
    const session = await client.sessions.create({
      clientTools: [weather(() => Promise.reject(new Error('The station is down.')))],
    });
    const { messages, turn } = await session.run(message(ask('throws'), ask('wrong', { town: 'Ulm' })));
    assert.deepEqual(
      turn.calls.map(({ outcome }) => outcome),
      ['tool_error', 'invalid_input'],
    );
    assert.match(JSON.stringify(messages), /station is down/);
  });

  test('are told when their call has ended without them, and tell the readers how they go on', async () => {
    const stopped = Promise.withResolvers<unknown>();
    const slow = clientTool({
      name: 'Slow',
      description: 'Takes its time.',
      inputSchema: { type: 'object' },
      async run(_input, { signal, progress }) {
        progress({ percent: 50 });
        signal.addEventListener('abort', () => stopped.resolve(signal.reason));
        await stopped.promise;
        return 'late';
      },
    });
    const session = await client.sessions.create({ ...free, clientTools: [slow] });
    const stream = session.stream([{ type: 'tool_use', id: 'slow', name: 'Slow', input: {} }]);
    const told: unknown[] = [];
    for await (const event of stream) {
      if (event.type !== 'progress') continue;
      told.push(event.data);
      stream.abort();
    }
    assert.match(JSON.stringify(told), /"percent":50/);
    assert.match(String(await stopped.promise), /aborted/);
    assert.equal((await stream.turn).calls[0]?.outcome, 'aborted');
  });

  test('are found again by a client that opens the session later', async () => {
    const session = await client.sessions.create({ clientTools: [weather(() => 'never asked')] });
    const plain = client.sessions.open(session.id);
    const first = await plain.run(message(ask('later')));
    assert.deepEqual([first.turn.status, first.pending?.[0]?.type], ['requires_action', 'client_call']);
    const late = client.sessions.open(session.id);
    late.clientTool(weather((city) => `Snow in ${city}.`));
    for await (const event of late.watch()) if (event.type === 'turn_completed') break;
    assert.match(JSON.stringify((await session.turns.get(first.turn.id)).messages), /Snow in ULM/);
  });
});

function contentOf(message: Json): Json[] {
  return message['content'] as Json[];
}
