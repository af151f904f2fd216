// What sessions cost that have done something once and are idle now: memory of the process, against what it may be.
import { callId, createSession, httpClient, times } from '../client.ts';
import type { Contest } from '../contest.ts';
import { startOnRedis } from '../redis-service.ts';
import { startService, type ServerProcess } from '../server-process.ts';

const SESSIONS = 10_000;
const BUDGET_MB = 200;
const AT_ONCE = 8;
/** Messages of a session each, made and removed, before memory is looked at first. */
const WARM_UPS = 500;
/** Code of a busy process is compiled and its garbage left: looked at only after a collection. */
const COLLECTING = ['--expose-gc'];

const STORES: Readonly<Record<string, () => Promise<ServerProcess>>> = {
  SQLite: () => startService({ nodeOptions: COLLECTING }),
  Redis: () => startOnRedis(COLLECTING),
};

/** Starts its own service, and makes the sessions, when it is measured first. */
export function idleSessions(store: 'SQLite' | 'Redis'): Contest {
  const started = new AsyncDisposableStack();
  const open = async () => {
    const server = started.adopt(await (STORES[store] as () => Promise<ServerProcess>)(), (running) => running.stop());
    const emptyMb = await fill(server);
    return async () => (await megabytes(server)) - emptyMb;
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    calls: SESSIONS,
    warmUps: 1,
    lines: [{ row: 'M', name: `10,000 idle sessions, memory, ${store}`, against: 'the budget', unit: 'MB', target: 1 }],
    async measure() {
      const more = await (opened ??= open());
      return [{ ours: await more(), theirs: BUDGET_MB }];
    },
    close: () => started.disposeAsync(),
  };
}

/** @returns megabytes before there was a session */
async function fill(server: ServerProcess): Promise<number> {
  const clients = Array.from({ length: AT_ONCE }, () => httpClient(server.address('http')));
  const clientOf = (n: number) => clients[n % AT_ONCE] as (typeof clients)[number];
  const message = () => JSON.stringify({ role: 'assistant', content: [{ type: 'tool_use', id: callId(), name: 'Echo', input: {} }] });
  try {
    await times(WARM_UPS, AT_ONCE, async (n) => void (await clientOf(n).post('/v1/messages', message())));
    const emptyMb = await megabytes(server);
    await times(SESSIONS, AT_ONCE, async (n) => {
      const session = await createSession(clientOf(n));
      await clientOf(n).post(`/v1/sessions/${session}/messages`, message());
    });
    return emptyMb;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function megabytes(server: ServerProcess): Promise<number> {
  return (await server.use()).rssBytes / 1_000_000;
}
