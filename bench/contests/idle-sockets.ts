// Thousands of idle sessions with a socket each: the memory they take, the processor time, and what a call beside them costs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { createSession, httpClient, openSocket } from '../client.ts';
import { both, type Contest, type Pair } from '../contest.ts';
import { closeSockets, openBareSockets, openSessionSockets } from '../many-sockets.ts';
import { startServer, startService, type ServerProcess } from '../server-process.ts';
import { COLLECTING, warmUpMemory } from './idle-sessions.ts';
import { CALLS, noopFrame, turnOfCalls } from './socket-noop.ts';

const FEW = 10;
const MANY = 10_000;
/** Descriptors that a process needs beside those of its sockets. */
const OTHER_DESCRIPTORS = 1_000;
const BUDGET_KB = 12;
/** Percent of one core. */
const MOST_CPU = 1;
/** A little more than the time in which every socket is pinged once. */
const IDLE_MS = 26_000;
/** What opening so many has left to do. */
const SETTLING_MS = 3_000;

export function idleSockets(): Contest {
  const count = Math.min(MANY, descriptors() - OTHER_DESCRIPTORS);
  const many = count.toLocaleString('en');
  const memory = { row: '12', name: `memory of each of ${many} idle sessions with a socket`, unit: 'kB' } as const;
  return {
    calls: CALLS,
    warmUps: 5,
    lines: [
      { ...memory, against: 'the budget', target: 1 },
      { ...memory, against: 'bare socket', target: null },
      { row: '12', name: `idle CPU with ${many} sessions and sockets`, against: 'the limit', unit: '%', target: 1 },
      { row: '12', name: `no-op call over the socket beside ${many} idle ones: p50`, against: 'beside 10', unit: 'µs', target: 1.2 },
    ],
    async open() {
      await using started = new AsyncDisposableStack();
      const bareKb = await bareMemory(count);
      const crowded = started.use(await openCrowd(count));
      const quiet = started.use(await openCrowd(FEW));
      const cpu = await idleCpu(crowded.server);
      const fixed: Pair[] = [
        { ours: crowded.kbEach, theirs: BUDGET_KB },
        { ours: crowded.kbEach, theirs: bareKb },
        { ours: cpu, theirs: MOST_CPU },
      ];
      const running = started.move();
      return {
        measure: async (oursFirst) => [...fixed, await both(oursFirst, { ours: crowded.call, theirs: quiet.call })],
        close: () => running.disposeAsync(),
      };
    },
  };
}

async function openCrowd(count: number) {
  await using started = new AsyncDisposableStack();
  const server = started.adopt(await startService({ nodeOptions: COLLECTING }), (running) => running.stop());
  await warmUpMemory(server);
  const sockets = await openSessionSockets(server, FEW);
  started.defer(() => closeSockets(sockets));
  const kbEach = await growth({ server, sockets, open: openSessionSockets, count });
  const caller = await openCaller(server);
  started.defer(() => caller.close());
  const running = started.move();
  return {
    server,
    kbEach,
    call: () => turnOfCalls(caller, noopFrame, 1),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function bareMemory(count: number): Promise<number> {
  await using started = new AsyncDisposableStack();
  const server = started.adopt(await startServer({ file: 'floors.ts', nodeOptions: COLLECTING }), (running) => running.stop());
  const sockets = await openBareSockets(server, FEW);
  started.defer(() => closeSockets(sockets));
  return await growth({ server, sockets, open: openBareSockets, count });
}

interface Growing {
  readonly server: ServerProcess;
  /** The few that are open; gets the others. */
  readonly sockets: WebSocket[];
  readonly open: (server: ServerProcess, count: number) => Promise<WebSocket[]>;
  readonly count: number;
}

/** Kilobytes by which the process grows a socket, from few to many. */
async function growth({ server, sockets, open, count }: Growing): Promise<number> {
  const before = await server.use();
  const added = await open(server, count - FEW);
  sockets.push(...added);
  const after = await server.use();
  return added.length === 0 ? 0 : (after.rssBytes - before.rssBytes) / 1000 / added.length;
}

async function openCaller(server: ServerProcess): Promise<WebSocket> {
  const http = httpClient(server.address('http'));
  const session = await createSession(http);
  await http.close();
  return openSocket(`ws://${server.address('http')}/v1/sessions/${session}/stream`);
}

/** Percent of one core that a server takes while nobody asks for anything. */
async function idleCpu(server: ServerProcess): Promise<number> {
  await sleep(SETTLING_MS);
  const before = await server.ask('cpuUs');
  const startMs = performance.now();
  await sleep(IDLE_MS);
  const spentUs = Number(await server.ask('cpuUs')) - Number(before);
  return spentUs / (performance.now() - startMs) / 10;
}

/** Files and sockets that this process may have open. Node asks for as many as it can get when it starts. */
function descriptors(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : MANY + OTHER_DESCRIPTORS;
}
