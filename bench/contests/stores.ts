// An empty call that only reads, with the sessions in Redis, against the same with SQLite.
import { createSession, httpClient, openSocket } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import { startOnRedis } from '../redis-service.ts';
import type { ServerProcess } from '../server-process.ts';
import { medianOfPosts } from './post-noop.ts';
import { CALLS, noopFrame, turnOfCalls } from './socket-noop.ts';

const WARM_UPS = 8;

/** Starts its own service on Redis when it is measured first. */
export function storesContest(onSqlite: ServerProcess): Contest {
  const started = new AsyncDisposableStack();
  const open = async () => {
    const onRedis = started.adopt(await startOnRedis(), (server) => server.stop());
    const [ours, theirs] = [await openSide(onRedis), await openSide(onSqlite)];
    for (const side of [ours, theirs]) started.defer(() => side.close());
    return { onRedis, ours, theirs };
  };
  let opened: ReturnType<typeof open> | undefined;
  const line = { row: 'S', against: 'SQLite', unit: 'µs', target: 1.5 } as const;
  return {
    calls: CALLS,
    warmUps: WARM_UPS,
    lines: [
      { ...line, name: 'no-op call over the socket, Redis' },
      { ...line, name: 'POST of one no-op call, Redis' },
    ],
    async measure(oursFirst) {
      const { onRedis, ours, theirs } = await (opened ??= open());
      const before = await onRedis.use();
      const calls = await both(oursFirst, { ours: ours.call, theirs: theirs.call });
      const after = await onRedis.use();
      return [{ ...calls, cpuUs: (after.cpuUs - before.cpuUs) / CALLS }, await both(oursFirst, { ours: ours.post, theirs: theirs.post })];
    },
    close: () => started.disposeAsync(),
  };
}

async function openSide(server: ServerProcess) {
  const http = httpClient(server.address('http'));
  const [streamed, posted] = [await createSession(http), await createSession(http)];
  const socket = await openSocket(`ws://${server.address('http')}/v1/sessions/${streamed}/stream`);
  return {
    call: () => turnOfCalls(socket, noopFrame),
    post: () => medianOfPosts(http, `/v1/sessions/${posted}/messages`),
    async close() {
      socket.close();
      await http.close();
    },
  };
}
