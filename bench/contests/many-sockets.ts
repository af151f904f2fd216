// Many sockets, each of a session of its own, all calling at once, against as many bare sockets.
import { TOOL_RESULT } from '../client.ts';
import { bothWithCpu, type Contest, type World } from '../contest.ts';
import { closeSockets, openBareSockets, openSessionSockets } from '../many-sockets.ts';
import type { ServerProcess } from '../server-process.ts';
import { closedLoop, endTurns } from '../socket-load.ts';
import { noopFrame } from './socket-noop.ts';

export interface ManySocketsOptions {
  readonly row: string;
  readonly sockets: number;
  /** Calls of a socket, one after another. */
  readonly calls: number;
  /** The service that is measured, where it is not the one of all contests; stopped with the contest. */
  readonly start?: () => Promise<ServerProcess>;
  readonly store: string;
  readonly targets: { readonly rate: number | null; readonly p99: number | null };
}

export function manySockets({ row, sockets: count, calls, start, store, targets }: ManySocketsOptions): Contest {
  const what = `no-op calls over ${count.toLocaleString('en')} sockets, ${store}`;
  return {
    calls: count * calls,
    warmUps: 3,
    lines: [
      { row, name: `${what}: calls/s`, against: 'ws echo', unit: '/s', target: targets.rate },
      { row, name: `${what}: p99`, against: 'ws echo', unit: 'ms', target: targets.p99 },
    ],
    async open(world) {
      await using started = new AsyncDisposableStack();
      const server = start === undefined ? world.toolexec : started.adopt(await start(), (running) => running.stop());
      const { ours, theirs } = await openBoth(server, { world, count });
      started.defer(() => closeSockets([...ours, ...theirs]));
      const running = started.move();
      return {
        async measure(oursFirst) {
          const both = await bothWithCpu(oursFirst, {
            server,
            calls: count * calls,
            ours: () => closedLoop({ sockets: ours, frame: noopFrame, answerHead: TOOL_RESULT }, calls),
            theirs: () => closedLoop({ sockets: theirs, frame: noopFrame, answerHead: '{' }, calls),
          });
          await endTurns(ours);
          return [
            { ours: both.ours.perSecond, theirs: both.theirs.perSecond, cpuUs: both.cpuUs },
            { ours: both.ours.p99Us / 1000, theirs: both.theirs.p99Us / 1000 },
          ];
        },
        close: () => running.disposeAsync(),
      };
    },
  };
}

async function openBoth(server: ServerProcess, { world, count }: { world: World; count: number }) {
  return { ours: await openSessionSockets(server, count), theirs: await openBareSockets(world.floors, count) };
}
