// A call that does nothing over a socket, one at a time, against an echo of the same frame over a bare socket.
import type { WebSocket } from 'ws';
import { callId, createSession, framesOf, httpClient, openBareSocket, openSocket, TOOL_RESULT } from '../client.ts';
import { bothWithCpu, type Contest } from '../contest.ts';
import { endTurns } from '../socket-load.ts';
import { median } from '../statistics.ts';
import { timesOf } from '../timed.ts';

/** Calls of one turn, below the limit of a turn. */
export const CALLS = 400;
const WARM_UPS = 10;
/** Long enough for both processes to go to sleep. */
const PAUSE_MS = 1;

export interface SocketNoopOptions {
  readonly ballastBytes: number;
  /**
   * `paced`: with a pause before each call, so that both servers are woken up for it. `back to back`: what answers fast enough
   * never sleeps, and who works a little longer pays for being woken up as well.
   */
  readonly how: 'paced' | 'back to back';
}

export function socketNoop({ ballastBytes, how }: SocketNoopOptions): Contest {
  const what = ballastBytes === 0 ? 'empty' : `${(ballastBytes / 1000).toFixed(1)} kB`;
  const frame = (): string => noopFrame(ballastBytes);
  const pauseMs = how === 'paced' ? PAUSE_MS : 0;
  return {
    calls: CALLS,
    warmUps: WARM_UPS,
    lines: [
      {
        row: '2',
        name: `no-op call over the socket, ${what}, ${how}: p50`,
        against: 'ws echo',
        unit: 'µs',
        target: how === 'paced' ? 1.5 : null,
      },
    ],
    async open({ toolexec, floors }) {
      const http = httpClient(toolexec.address('http'));
      const session = await createSession(http);
      const ours = await openSocket(`ws://${toolexec.address('http')}/v1/sessions/${session}/stream`);
      const theirs = await openBareSocket(`ws://${floors.address('socket')}`);
      return {
        measure: async (oursFirst) => [
          await bothWithCpu(oursFirst, {
            server: toolexec,
            calls: CALLS,
            ours: () => turnOfCalls(ours, frame, pauseMs),
            theirs: () => roundTrip(theirs, { frame, answerHead: '{', pauseMs }),
          }),
        ],
        async close() {
          ours.close();
          theirs.close();
          await http.close();
        },
      };
    },
  };
}

/** A call that does nothing. */
export function noopFrame(ballastBytes = 0): string {
  const input = ballastBytes === 0 ? {} : { ballast: 'x'.repeat(ballastBytes) };
  return JSON.stringify({ type: 'tool_use', id: callId(), name: 'Echo', input });
}

/** Median time of a call in a turn of many, in microseconds. */
export async function turnOfCalls(socket: WebSocket, frame: () => string, pauseMs = 0): Promise<number> {
  const time = await roundTrip(socket, { frame, answerHead: TOOL_RESULT, pauseMs });
  await endTurns([socket]);
  return time;
}

interface RoundTrip {
  readonly frame: () => string;
  readonly answerHead: string;
  readonly pauseMs: number;
}

/** Median time from a frame to its answer, in microseconds. */
async function roundTrip(socket: WebSocket, { frame, answerHead, pauseMs }: RoundTrip): Promise<number> {
  const call = async (): Promise<void> => {
    const answer = framesOf(socket, answerHead);
    socket.send(frame());
    await answer;
  };
  return median(await timesOf(CALLS, call, pauseMs)) * 1000;
}
