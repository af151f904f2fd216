// Calls that do nothing and arrive at a fixed rate, against an echo of the same frames at the same rate.
import { TOOL_RESULT } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import { closeSockets, openBareSockets, openSessionSockets } from '../many-sockets.ts';
import { closedLoop, endTurns, openLoop, type SocketLoad } from '../socket-load.ts';
import { noopFrame } from './socket-noop.ts';

const SOCKETS = 100;
const SECONDS = 1;
/** Where the machine can carry it; a slower one gets half of what the service can do there, since beyond that queues are measured. */
const MOST_PER_SECOND = 8_000;
const WARM_UP_CALLS = 40;

export function fixedRate(): Contest {
  return {
    calls: SOCKETS * WARM_UP_CALLS,
    warmUps: 1,
    lines: [{ row: '4', name: 'no-op calls arriving at a fixed rate: p99', against: 'ws echo', unit: 'ms', target: 2 }],
    async open({ toolexec, floors }) {
      await using started = new AsyncDisposableStack();
      const sockets = await openSessionSockets(toolexec, SOCKETS);
      const bare = await openBareSockets(floors, SOCKETS);
      started.defer(() => closeSockets([...sockets, ...bare]));
      const ours: SocketLoad = { sockets, frame: noopFrame, answerHead: TOOL_RESULT };
      const theirs: SocketLoad = { sockets: bare, frame: noopFrame, answerHead: '{' };
      const perSecond = await bearableRate(ours);
      const load = { perSecond, seconds: SECONDS };
      const running = started.move();
      return {
        async measure(oursFirst) {
          const p99 = await both(oursFirst, {
            async ours() {
              const us = await openLoop(ours, load);
              await endTurns(sockets);
              return us / 1000;
            },
            theirs: async () => (await openLoop(theirs, load)) / 1000,
          });
          return [{ ...p99, note: `${perSecond.toLocaleString('en')}/s` }];
        },
        close: () => running.disposeAsync(),
      };
    },
  };
}

/** Calls a second, in whole hundreds. */
async function bearableRate(ours: SocketLoad): Promise<number> {
  let perSecond = 0;
  for (let n = 0; n < 3; n += 1) {
    ({ perSecond } = await closedLoop(ours, WARM_UP_CALLS));
    await endTurns(ours.sockets);
  }
  return Math.max(100, Math.min(MOST_PER_SECOND, Math.floor(perSecond / 200) * 100));
}
