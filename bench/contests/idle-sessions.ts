// What sessions cost that have done something once and are idle now: memory of the process, against what it may be.
import { setTimeout as sleep } from 'node:timers/promises';
import { callId, createSession, httpClient, times } from '../client.ts';
import type { Contest, Pair } from '../contest.ts';
import { startOnRedis } from '../redis-service.ts';
import { startService, type ServerProcess } from '../server-process.ts';

const SESSIONS = 10_000;
const BUDGET_MB = 200;
const AT_ONCE = 8;
/** Longer than the minute after which a session that nobody uses is let go of. */
const IDLE_MS = 75_000;
/** Messages of a session each, made and removed, before memory is looked at first. */
const WARM_UPS = 500;
/** Code of a busy process is compiled and its garbage left: looked at only after a collection. */
export const COLLECTING = ['--expose-gc'];

const STORES: Readonly<Record<'SQLite' | 'Redis', () => Promise<ServerProcess>>> = {
  SQLite: () => startService({ nodeOptions: COLLECTING }),
  Redis: () => startOnRedis(COLLECTING),
};

/** A line a store for the moment after the last call, and one for when nobody has used the sessions for a while. */
export function idleSessions(): Contest {
  const stores = Object.keys(STORES) as (keyof typeof STORES)[];
  const line = { row: 'M', against: 'the budget', unit: 'MB' } as const;
  return {
    calls: SESSIONS,
    warmUps: 0,
    mostRounds: 1,
    lines: [
      ...stores.map((store) => ({ ...line, name: `10,000 sessions just used, memory, ${store}`, target: null })),
      ...stores.map((store) => ({ ...line, name: `10,000 idle sessions, memory, ${store}`, target: 1 })),
    ],
    async open() {
      await using started = new AsyncDisposableStack();
      const servers: ServerProcess[] = [];
      for (const store of stores) servers.push(started.adopt(await STORES[store](), (server) => server.stop()));
      const running = started.move();
      return { measure: () => usedAndIdle(servers), close: () => running.disposeAsync() };
    },
  };
}

async function usedAndIdle(servers: readonly ServerProcess[]): Promise<Pair[]> {
  const filled: { server: ServerProcess; emptyMb: number; usedMb: number }[] = [];
  for (const server of servers) {
    const emptyMb = await fill(server);
    filled.push({ server, emptyMb, usedMb: await megabytes(server) });
  }
  await sleep(IDLE_MS);
  const idleMb: number[] = [];
  for (const { server } of filled) idleMb.push(await megabytes(server));
  return [
    ...filled.map(({ emptyMb, usedMb }) => ({ ours: usedMb - emptyMb, theirs: BUDGET_MB })),
    ...filled.map(({ emptyMb }, index) => ({ ours: (idleMb[index] ?? 0) - emptyMb, theirs: BUDGET_MB })),
  ];
}

/** Sessions that were made, used once and removed: what the process keeps for ever is there after them. */
export async function warmUpMemory(server: ServerProcess): Promise<void> {
  const http = httpClient(server.address('http'));
  await times(WARM_UPS, 1, async () => void (await http.post('/v1/messages', message())));
  await http.close();
}

/** @returns megabytes before there was a session */
async function fill(server: ServerProcess): Promise<number> {
  await warmUpMemory(server);
  const emptyMb = await megabytes(server);
  const clients = Array.from({ length: AT_ONCE }, () => httpClient(server.address('http')));
  const clientOf = (n: number) => clients[n % AT_ONCE] as (typeof clients)[number];
  try {
    await times(SESSIONS, AT_ONCE, async (n) => {
      const session = await createSession(clientOf(n));
      await clientOf(n).post(`/v1/sessions/${session}/messages`, message());
    });
    return emptyMb;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

function message(): string {
  return JSON.stringify({ role: 'assistant', content: [{ type: 'tool_use', id: callId(), name: 'Echo', input: {} }] });
}

async function megabytes(server: ServerProcess): Promise<number> {
  return (await server.use()).rssBytes / 1_000_000;
}
