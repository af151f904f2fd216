// Messages a second with an event log that lasts, against a service that keeps none.
import { bothWithCpu, type Contest } from '../contest.ts';
import { startOnRedis } from '../redis-service.ts';
import { startService, type ServerProcess } from '../server-process.ts';
import { openMessages } from './post-rate.ts';

const CONNECTIONS = 32;
const REQUESTS = 1_000;

export interface EventLogOptions {
  readonly store: 'SQLite' | 'Redis';
  readonly target: number;
}

export function eventLog({ store, target }: EventLogOptions): Contest {
  const name = `POST of one no-op call, 32 connections, log in ${store}`;
  return {
    calls: REQUESTS,
    warmUps: 3,
    lines: [{ row: '13', name, against: 'no log', unit: '/s', target }],
    async open() {
      await using started = new AsyncDisposableStack();
      const start = async (open: () => Promise<ServerProcess>) => {
        const server = started.adopt(await open(), (running) => running.stop());
        return { server, load: started.adopt(await openMessages(server, CONNECTIONS), (load) => load.close()) };
      };
      const kept = await start(store === 'Redis' ? () => startOnRedis() : () => startService());
      const forgotten = await start(() => startService({ env: { BENCH_STORE: 'forgetful' } }));
      const running = started.move();
      return {
        measure: async (oursFirst) => [
          await bothWithCpu(oursFirst, {
            server: kept.server,
            calls: REQUESTS,
            ours: () => kept.load.run(REQUESTS),
            theirs: () => forgotten.load.run(REQUESTS),
          }),
        ],
        close: () => running.disposeAsync(),
      };
    },
  };
}
