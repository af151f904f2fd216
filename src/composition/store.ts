// Where sessions are kept, and who executes which: alone on SQLite, or with other nodes on Redis.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Leases, Nodes, RateCounter, Store, TicketStore } from '../contract/index.ts';
import { localLeases } from '../store/local-leases.ts';
import { openSqliteStore } from '../store/sqlite.ts';

export interface JoinedStore {
  readonly store: Store;
  readonly leases: Leases;
  /** Milliseconds after which it is worth looking for turns that another node has left; absent where there is no other. */
  readonly takeOverMs?: number;
  /** How nodes reach one another; absent where there is no other. */
  readonly nodes?: Nodes;
  /** Tickets and rates of all nodes; absent where there is no other. */
  readonly tickets?: TicketStore;
  readonly rates?: RateCounter;
  readonly close: () => Promise<void>;
}

/** @throws Error that says what is wrong with the store */
export async function joinStore(
  { store: url, leaseTtlMs, dataDir, limits }: Pick<Config, 'store' | 'leaseTtlMs' | 'dataDir' | 'limits'>,
  warn: (message: string) => void,
): Promise<JoinedStore> {
  // Another one each time: a node that was restarted is not the one that it was.
  const node = `node_${randomBytes(8).toString('hex')}`;
  if (url === 'sqlite') {
    const store = await openSqliteStore({ file: join(dataDir, 'toolexec.sqlite'), warn });
    return { store, leases: localLeases(node), close: () => store.close() };
  }
  // A node that is alone needs nothing of it.
  const { openRedisNode } = await import('../store/redis/open-redis.ts');
  const { store, leases, nodes, rates, tickets } = await openRedisNode({ url, node, ttlMs: leaseTtlMs, warn });
  return {
    store,
    leases,
    nodes,
    rates,
    tickets: tickets(limits.tickets_per_key),
    takeOverMs: Math.ceil(leaseTtlMs / 5),
    async close() {
      await leases.close();
      await store.close();
    },
  };
}
