// A Redis Cluster of several shards: one link a shard, and each key is asked of the shard that has its slot. Who has which is
// asked anew whenever a shard says that it is another, or cannot be reached.
import { ErrorReply } from '@redis/client';
import { redisUnavailable } from './errors.ts';
import { openLink, type Link, type LinkOptions } from './link.ts';
import type { Script } from './scripts.ts';
import { slotOf } from './slot.ts';

/** How often a key is asked of another shard, when the one that was asked does not have it. */
const MOST_MOVES = 5;

interface Range {
  readonly from: number;
  readonly to: number;
  /** `host:port` of the shard. */
  readonly place: string;
}

export class ShardedLink implements Link {
  readonly #options: Omit<LinkOptions, 'check'>;
  /** Any shard that can be asked who has what: at first the one of the URL. */
  readonly #seed: Link;
  readonly #links = new Map<string, Promise<Link>>();
  #ranges: readonly Range[] = [];
  #looking: Promise<void> | undefined;
  #closed = false;

  constructor(options: Omit<LinkOptions, 'check'>, seed: Link) {
    this.#options = options;
    this.#seed = seed;
  }

  /** Reads who has what. @throws Problem `store-unavailable` */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => (this.#looking = undefined)));
  }

  /** Only what is asked tells whether its shard is there. */
  get away(): boolean {
    return this.#seed.away && this.#links.size === 0;
  }

  ask: Link['ask'] = (key, work) => this.#at(key, (link) => link.ask(key, work));

  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#at(keys[0] ?? '', (link) => link.run(script, keys, args));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const links = await Promise.allSettled(this.#links.values());
    await Promise.all(
      [this.#seed, ...links.flatMap((link) => (link.status === 'fulfilled' ? [link.value] : []))].map((link) => link.close()),
    );
  }

  async #at<T>(key: string, work: (link: Link) => Promise<T>): Promise<T> {
    for (let moves = 0; ; moves += 1) {
      try {
        return await work(await this.#linkFor(slotOf(key)));
      } catch (error) {
        const moved = error instanceof ErrorReply && /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN) /.test(error.message);
        if (moved && moves < MOST_MOVES) await this.look();
        else if (moved) throw redisUnavailable('A slot of the Redis Cluster is on its way from one shard to another');
        else {
          // Perhaps another node has taken the shard over: whoever asks next is to find it.
          if (!(error instanceof ErrorReply) && !this.#closed) this.look().catch(() => undefined);
          throw error;
        }
      }
    }
  }

  async #linkFor(slot: number): Promise<Link> {
    const range = this.#ranges.find(({ from, to }) => from <= slot && slot <= to);
    if (range === undefined) throw redisUnavailable('No shard of the Redis Cluster has the slot');
    return this.#linkTo(range.place);
  }

  #linkTo(place: string): Promise<Link> {
    let link = this.#links.get(place);
    if (link === undefined) {
      const url = new URL(this.#options.url);
      url.host = place;
      link = openLink({ ...this.#options, url: url.href }).catch((error: unknown) => {
        this.#links.delete(place);
        throw redisUnavailable(error instanceof Error ? error.message : 'A shard of the Redis Cluster cannot be reached');
      });
      this.#links.set(place, link);
    }
    return link;
  }

  async #look(): Promise<void> {
    const known = await Promise.allSettled(this.#links.values());
    const links = [this.#seed, ...known.flatMap((link) => (link.status === 'fulfilled' ? [link.value] : []))];
    for (const link of links.filter(({ away }) => !away)) {
      try {
        this.#ranges = await readRanges(link, new URL(this.#options.url).hostname);
        return;
      } catch {
        // Another shard may know.
      }
    }
    throw redisUnavailable('No shard of the Redis Cluster can be reached');
  }
}

/** @param host of the shard that answers, which may not know its own */
async function readRanges(link: Link, host: string): Promise<Range[]> {
  const slots = await link.ask('', (client) => client.clusterSlots());
  return slots.map(({ from, to, master }) => ({ from, to, place: `${master.host || host}:${master.port}` }));
}
