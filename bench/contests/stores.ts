// An empty call that only reads, with the sessions in Redis, against the same with SQLite.
import { createSession, httpClient, openSocket } from '../client.ts';
import { both, bothWithCpu, type Contest } from '../contest.ts';
import { startOnRedis } from '../redis-service.ts';
import type { ServerProcess } from '../server-process.ts';
import { medianOfPosts } from './post-noop.ts';
import { CALLS, noopFrame, turnOfCalls } from './socket-noop.ts';

const WARM_UPS = 8;

export function storesContest(): Contest {
  const line = { row: 'S', against: 'SQLite', unit: 'µs', target: 1.5 } as const;
  return {
    calls: CALLS,
    warmUps: WARM_UPS,
    lines: [
      { ...line, name: 'no-op call over the socket, Redis: p50' },
      { ...line, name: 'POST of one no-op call, Redis: p50' },
    ],
    async open({ toolexec }) {
      await using started = new AsyncDisposableStack();
      const onRedis = started.adopt(await startOnRedis(), (server) => server.stop());
      const ours = started.adopt(await openSide(onRedis), (side) => side.close());
      const theirs = started.adopt(await openSide(toolexec), (side) => side.close());
      const running = started.move();
      return {
        measure: async (oursFirst) => [
          await bothWithCpu(oursFirst, { server: onRedis, calls: CALLS, ours: ours.call, theirs: theirs.call }),
          await both(oursFirst, { ours: ours.post, theirs: theirs.post }),
        ],
        close: () => running.disposeAsync(),
      };
    },
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
