// A call that does nothing over a socket, one at a time, against an echo of the same frame over a bare socket.
import type { WebSocket } from 'ws';
import { callId, createSession, framesOf, httpClient, openBareSocket, openSocket, TOOL_RESULT, TURN_COMPLETED } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import type { ServerProcess } from '../server-process.ts';
import { median } from '../statistics.ts';

/** Calls of one turn, below the limit of a turn. */
export const CALLS = 400;
const WARM_UPS = 8;

export async function socketNoop(toolexec: ServerProcess, floors: ServerProcess, ballastBytes: number): Promise<Contest> {
  const http = httpClient(toolexec.address('http'));
  const session = await createSession(http);
  const ours = await openSocket(`ws://${toolexec.address('http')}/v1/sessions/${session}/stream`);
  const theirs = await openBareSocket(`ws://${floors.address('socket')}`);
  const what = ballastBytes === 0 ? 'empty' : `${(ballastBytes / 1000).toFixed(1)} kB`;
  const frame = (): string => noopFrame(ballastBytes);
  return {
    calls: CALLS,
    warmUps: WARM_UPS,
    lines: [{ row: '2', name: `no-op call over the socket, ${what}`, against: 'ws echo', unit: 'µs', target: 1.5 }],
    async measure(oursFirst) {
      const before = await toolexec.use();
      const times = await both(oursFirst, {
        ours: () => turnOfCalls(ours, frame),
        theirs: () => roundTrip(theirs, frame, '{'),
      });
      const after = await toolexec.use();
      return [{ ...times, cpuUs: (after.cpuUs - before.cpuUs) / CALLS }];
    },
    async close() {
      ours.close();
      theirs.close();
      await http.close();
    },
  };
}

/** A call that does nothing. */
export function noopFrame(ballastBytes = 0): string {
  const input = ballastBytes === 0 ? {} : { ballast: 'x'.repeat(ballastBytes) };
  return JSON.stringify({ type: 'tool_use', id: callId(), name: 'Echo', input });
}

/** Median time of a call in a turn of many, in microseconds. */
export async function turnOfCalls(socket: WebSocket, frame: () => string): Promise<number> {
  const time = await roundTrip(socket, frame, TOOL_RESULT);
  const ended = framesOf(socket, TURN_COMPLETED);
  socket.send('{"type":"end"}');
  await ended;
  return time;
}

/** Median time from a frame to its answer, in microseconds. */
async function roundTrip(socket: WebSocket, frame: () => string, answerHead: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const text = frame();
    const answer = framesOf(socket, answerHead);
    const sentMs = performance.now();
    socket.send(text);
    const [received] = await answer;
    times.push(((received?.atMs ?? sentMs) - sentMs) * 1000);
  }
  return median(times);
}
