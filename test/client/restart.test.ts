import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ToolexecClient, type ToolexecEvent } from '../../client/src/index.ts';
import { startProcess, type ServerProcess } from '../support/process.ts';
import { assertEachOnce, assertInOrder, collect, resultIds } from './assertions.ts';
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { anthropicEvents, chatChunks, numbered, responsesEvents } from './model-events.ts';

interface Restarting {
  readonly client: ToolexecClient;
  /** Ends the service, and starts it again on the same data. */
  readonly restart: (signal: NodeJS.Signals) => Promise<void>;
}

async function startRestarting(t: TestContext): Promise<Restarting> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-restart-'));
  const start = (): Promise<ServerProcess> => startProcess(t, { TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_DRAIN_GRACE_MS: '1000' });
  let service = await start();
  const proxy: CuttingProxy = await startCuttingProxy(t, service.url);
  t.after(async () => {
    await service.end('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    client: new ToolexecClient({ url: proxy.url, retries: 100 }),
    async restart(signal) {
      await service.end(signal);
      service = await start();
      proxy.target = service.url;
    },
  };
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a service that ends by ${signal} while models write, and comes back, costs no call and no event`, async (t) => {
    const { client, restart } = await startRestarting(t);
    const [begun, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let left = Object.keys(FORMATS).length;
    // The service ends when each model has begun its third call, and has seen the results of two.
    const meet = async (): Promise<void> => {
      left -= 1;
      if (left === 0) begun.resolve();
      await back.promise;
    };
    const streams = Object.values(FORMATS).map((eventsOf) => streamed(client, eventsOf, meet));
    await begun.promise;
    await restart(signal);
    back.resolve();
    for (const { session, calls, events, messages, turn } of await Promise.all(streams)) {
      assertInOrder(events);
      await assertEachOnce(session, calls, events);
      assert.deepEqual(
        resultIds(messages),
        calls.map(({ id }) => id),
      );
      assert.deepEqual(
        turn.calls.map(({ outcome }) => outcome),
        calls.map(() => 'ok'),
      );
    }
  });
}

const FORMATS = { anthropic: anthropicEvents, openai_chat: chatChunks, openai_responses: responsesEvents };

/** Runs a message of four calls, beside readers of its session. @param meet is waited for before the third call */
async function streamed(client: ToolexecClient, eventsOf: typeof anthropicEvents, meet: () => Promise<void>) {
  const session = await client.sessions.create({ permissions: { mode: 'bypassPermissions' } });
  const leave = new AbortController();
  const readers = [session.events({ signal: leave.signal }), session.watch({ after: 0, signal: leave.signal })];
  const calls = numbered(4);
  const second = Promise.withResolvers<void>();
  let met = false;
  const source = eventsOf(calls, async (_, event) => {
    if (met || !JSON.stringify(event).includes(calls[2]?.id ?? '')) return;
    met = true;
    await second.promise;
    await meet();
  });
  const stream = session.stream(source);
  const events: ToolexecEvent[] = [];
  const read = readers.map(collect);
  for await (const event of stream) {
    events.push(event);
    if (event.type === 'tool_result' && event.tool_use_id === calls[1]?.id) second.resolve();
  }
  const turn = await stream.turn;
  // What the others read is the same, down to the last event.
  for await (const event of session.events({ after: turn.last_seq - 1 })) if ('seq' in event && event.seq === turn.last_seq) break;
  leave.abort();
  for (const told of await Promise.all(read)) assertInOrder(told);
  return { session, calls, events, messages: await stream.messages, turn };
}
