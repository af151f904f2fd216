// Commands, calls and the event loop of a service that holds 500 MB of buffers, against one that does not: a process of that
// size that forks stands still for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { createSession, framesOf, httpClient, openSocket, TOOL_RESULT } from '../client.ts';
import { both, type Contest } from '../contest.ts';
import { startService, type ServerProcess } from '../server-process.ts';
import { endTurns } from '../socket-load.ts';
import { median, percentile } from '../statistics.ts';
import { timesOf } from '../timed.ts';
import { runCommands, WITHOUT_SANDBOX } from './bash-batch.ts';
import { noopFrame } from './socket-noop.ts';

const HELD_BYTES = 500_000_000;
const BATCHES = 10;
/** Calls beside the commands. */
const CALLS = 400;
/** Twenty commands a second beside them. */
const PAUSE_BETWEEN_BATCHES_MS = 500;
const LONGEST_BLOCK_MS = 5;

export function heldMemory(): Contest {
  const line = { row: '7', against: 'itself without', unit: 'ms' } as const;
  return {
    calls: CALLS,
    warmUps: 1,
    lines: [
      { ...line, name: '500 MB held: 10 × Bash true in one batch', target: 1.3 },
      { ...line, name: '500 MB held: p99 of no-ops beside 20 commands/s', target: 2 },
      { ...line, name: '500 MB held: longest block of the event loop', target: null },
      { ...line, name: '500 MB held: longest block of the event loop', against: 'the limit', target: 1 },
    ],
    async open() {
      await using started = new AsyncDisposableStack();
      const large = started.use(await openSide());
      await large.server.ask('hold', HELD_BYTES);
      const small = started.use(await openSide());
      const running = started.move();
      return {
        async measure(oursFirst) {
          const batches = await both(oursFirst, { ours: large.batch, theirs: small.batch });
          const beside = await both(oursFirst, { ours: large.beside, theirs: small.beside });
          const { ours, theirs } = beside;
          return [
            batches,
            { ours: ours.p99Ms, theirs: theirs.p99Ms },
            { ours: ours.blockMs, theirs: theirs.blockMs },
            { ours: ours.blockMs, theirs: LONGEST_BLOCK_MS },
          ];
        },
        close: () => running.disposeAsync(),
      };
    },
  };
}

async function openSide() {
  await using started = new AsyncDisposableStack();
  const server = started.adopt(await startService({ env: WITHOUT_SANDBOX }), (running) => running.stop());
  const http = started.adopt(httpClient(server.address('http')), (client) => client.close());
  const shells = await createSession(http);
  const socket = await openSocket(`ws://${server.address('http')}/v1/sessions/${await createSession(http)}/stream`);
  started.defer(() => socket.close());
  const noop = async (): Promise<void> => {
    const answer = framesOf(socket, TOOL_RESULT);
    socket.send(noopFrame());
    await answer;
  };
  const commands = () => runCommands(http, shells);
  const running = started.move();
  return {
    server,
    batch: async () => median(await timesOf(BATCHES, commands)),
    beside: async () => {
      const measured = await blockOf(server, () => besideCommands(commands, () => timesOf(CALLS, noop, 1)));
      await endTurns([socket]);
      return { p99Ms: percentile(measured.result, 0.99), blockMs: measured.blockMs };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Does something while batches of commands run. */
async function besideCommands<Result>(commands: () => Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  const batches = (async () => {
    while (!over.signal.aborted) {
      await commands();
      await sleep(PAUSE_BETWEEN_BATCHES_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await batches;
  }
}

async function blockOf<Result>(server: ServerProcess, work: () => Promise<Result>): Promise<{ result: Result; blockMs: number }> {
  await server.ask('watchLoop');
  const result = await work();
  return { result, blockMs: (await server.ask('longestBlockMs')) as number };
}
