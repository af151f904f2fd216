// Everything that a node keeps in Redis, on two connections: one for commands, one that listens.
import type { Inbox, Leases, Nodes, RateCounter, Store, TicketStore, WakeUps } from '../../contract/index.ts';
import { checkServer } from './check-server.ts';
import { redisInbox } from './inbox.ts';
import { redisLeases, type LeaseOptions } from './leases.ts';
import { openLink } from './link.ts';
import { redisNodes } from './nodes.ts';
import { redisRates } from './rates.ts';
import { redisStore } from './store.ts';
import { redisTickets } from './tickets.ts';
import { openAnnouncements } from './wake-ups.ts';

/** Milliseconds in which Redis has to answer: well within the time that a lease is held without being renewed. */
const TIMEOUT_MS = 5_000;

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
  readonly inbox: Inbox;
  readonly wakeUps: WakeUps;
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
  return redisStore(link, () => link.close());
}

/** Opens the store together with everything else that nodes share. @throws as {@link openRedisStore} */
export async function openRedisNode(options: RedisStoreOptions & LeaseOptions): Promise<RedisNode> {
  const { warn, ...listening } = withDefaults(options);
  const link = await openCommands(options);
  try {
    // What is wrong with the connections is told by the other one.
    const announcements = await openAnnouncements({ ...listening, warn: () => undefined });
    const nodes = redisNodes(link, options);
    const close = async (): Promise<void> => {
      await nodes.close();
      await announcements.close();
      await link.close();
    };
    return {
      store: redisStore(link, close),
      leases: redisLeases(link, options),
      inbox: redisInbox({ link, announcements, warn }),
      wakeUps: announcements,
      nodes,
      rates: redisRates(link),
      tickets: (perOwner) => redisTickets(link, perOwner),
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

function openCommands(options: RedisStoreOptions) {
  const given = withDefaults(options);
  return openLink({ ...given, check: (client) => checkServer(client, given.warn) });
}

function withDefaults({ url, timeoutMs = TIMEOUT_MS, warn = (message) => process.emitWarning(message) }: RedisStoreOptions) {
  return { url, timeoutMs, warn };
}
