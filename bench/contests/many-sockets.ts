// A thousand sockets, each of a session of its own, all calling at once: time a call, against as many bare sockets.
import type { WebSocket } from 'ws';
import { createSession, framesOf, httpClient, openBareSocket, openSocket, times, TOOL_RESULT, TURN_COMPLETED } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import type { ServerProcess } from '../server-process.ts';
import { noopFrame } from './socket-noop.ts';

const SOCKETS = 1_000;
/** Calls of a socket, one after another. */
const CALLS = 5;
const AT_ONCE = 16;

export interface ManySocketsOptions {
  /** Started when it is measured first, and ended with the contest. */
  readonly start: () => Promise<ServerProcess>;
  readonly store: string;
  readonly target: number | null;
  readonly floors: ServerProcess;
}

export function manySockets({ start, store, target, floors }: ManySocketsOptions): Contest {
  const started = new AsyncDisposableStack();
  const open = async () => {
    const server = started.adopt(await start(), (running) => running.stop());
    const [ours, theirs] = [await openSessions(server), await openBare(floors)];
    for (const socket of [...ours, ...theirs]) started.defer(() => socket.close());
    return { server, ours, theirs };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    calls: SOCKETS * CALLS,
    warmUps: 3,
    lines: [{ row: '3', name: `no-op calls over 1,000 sockets, ${store}`, against: 'ws echo', unit: 'µs', target }],
    async measure(oursFirst) {
      const { server, ours, theirs } = await (opened ??= open());
      const before = await server.use();
      const spent = await both(oursFirst, { ours: () => callAll(ours, TOOL_RESULT), theirs: () => callAll(theirs, '{') });
      const after = await server.use();
      await Promise.all(ours.map(endTurn));
      return [{ ...spent, cpuUs: (after.cpuUs - before.cpuUs) / (SOCKETS * CALLS) }];
    },
    close: () => started.disposeAsync(),
  };
}

/** Time a call when all sockets call at once, in microseconds. Each gets the answer to its own call, or it rejects. */
async function callAll(sockets: readonly WebSocket[], answerHead: string): Promise<number> {
  const startMs = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      for (let n = 0; n < CALLS; n += 1) {
        const answer = framesOf(socket, answerHead);
        socket.send(noopFrame());
        await answer;
      }
    }),
  );
  return ((performance.now() - startMs) * 1000) / (sockets.length * CALLS);
}

async function endTurn(socket: WebSocket): Promise<void> {
  const ended = framesOf(socket, TURN_COMPLETED);
  socket.send('{"type":"end"}');
  await ended;
}

async function openSessions(server: ServerProcess): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  const http = httpClient(server.address('http'));
  await times(SOCKETS, AT_ONCE, async () => {
    const session = await createSession(http);
    sockets.push(await openSocket(`ws://${server.address('http')}/v1/sessions/${session}/stream`));
  });
  await http.close();
  return sockets;
}

async function openBare(floors: ServerProcess): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  await times(SOCKETS, AT_ONCE, async () => void sockets.push(await openBareSocket(`ws://${floors.address('socket')}`)));
  return sockets;
}
