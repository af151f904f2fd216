// Everything that a node keeps in Redis.
import type { Leases, Nodes, RateCounter, Store, TicketStore } from '../../contract/index.ts';
import { checkFormat } from './check-format.ts';
import { checkServer, shardsOf } from './check-server.ts';
import { RedisLeases, type LeaseOptions } from './leases.ts';
import { openError } from './errors.ts';
import { openLink, placeOf, type Link } from './link.ts';
import { RedisNodes } from './nodes.ts';
import { redisRates } from './rates.ts';
import { ShardedLink } from './shards.ts';
import { redisStore } from './store.ts';
import { redisTickets } from './tickets.ts';

/** Milliseconds in which Redis has to answer: well within the time that a lease is held without being renewed. */
const TIMEOUT_MS = 5_000;
/** A claim outlives the leases of whoever has it: what was begun under it has been stopped when another gets it. */
const CLAIM_LEASES = 2;
/** Milliseconds for which leases last where there are none. */
const LEASE_MS = 15_000;

export interface RedisStoreOptions {
  /** `redis[s]://user:password@host:port` */
  readonly url: string;
  /** Told, in a sentence, of what a person should know and no caller is told; `process.emitWarning` by default. */
  readonly warn?: (message: string) => void;
  /** Milliseconds in which Redis has to answer, 5,000 by default. */
  readonly timeoutMs?: number;
}

/** What a node of a cluster shares with the others. The leases end with their own `close`, the rest with that of the store. */
export interface RedisNode {
  readonly store: Store;
  readonly leases: Leases;
  readonly nodes: Nodes;
  readonly rates: RateCounter;
  /** @param perOwner tickets of one owner that may wait */
  readonly tickets: (perOwner: number) => TicketStore;
}

/**
 * The store of several nodes. A write that has resolved is in Redis, and as safe as its `appendfsync` makes it.
 *
 * While Redis is away every call rejects at once with Problem `store-unavailable`, and so does one that it does not answer in
 * time: whether that was written is not known then. The connection comes back by itself.
 * @throws Error when Redis cannot be reached, is too old, or drops data when it is full; it says what to change
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const link = await openCommands(options);
  return redisStore(link, { claimMs: CLAIM_LEASES * LEASE_MS, close: () => link.close() });
}

/** Opens the store together with everything else that nodes share. @throws as {@link openRedisStore} */
export async function openRedisNode(options: RedisStoreOptions & LeaseOptions): Promise<RedisNode> {
  const link = await openCommands(options);
  const nodes = new RedisNodes(link, options);
  const close = async (): Promise<void> => {
    await nodes.close();
    await link.close();
  };
  return {
    store: redisStore(link, { claimMs: CLAIM_LEASES * options.ttlMs, close }),
    leases: new RedisLeases(link, options),
    nodes,
    rates: redisRates(link),
    tickets: (perOwner) => redisTickets(link, perOwner),
  };
}

/** One connection, or one to each shard of a cluster that has several. */
async function openCommands(options: RedisStoreOptions): Promise<Link> {
  const given = withDefaults(options);
  let shards = 1;
  const link = await openLink({
    ...given,
    async check(client) {
      await checkServer(client, given.warn);
      shards = await shardsOf(client);
    },
  });
  const commands = shards <= 1 ? link : new ShardedLink(given, link);
  try {
    if (commands instanceof ShardedLink) await commands.look();
    await checkFormat(commands);
  } catch (error) {
    await commands.close();
    throw openError(placeOf(given.url), error);
  }
  return commands;
}

function withDefaults({ url, timeoutMs = TIMEOUT_MS, warn = (message) => process.emitWarning(message) }: RedisStoreOptions) {
  return { url, timeoutMs, warn };
}
