// Where the nodes of a cluster answer, and the secret they share. What a node has said is renewed until it ends, and fades when
// it dies.
import { randomBytes } from 'node:crypto';
import type { Nodes } from '../../contract/index.ts';
import { nodeKey, SECRET_KEY } from './keys.ts';
import type { LeaseOptions } from './leases.ts';
import type { Link } from './link.ts';

/** Of the time to live of a lease: how long a URL stays after it was told last, and how often it is told again. */
const [STAYS, RENEWED] = [2, 1 / 2];
const SECRET_BYTES = 32;

export class RedisNodes implements Nodes {
  readonly name: string;
  readonly #link: Link;
  readonly #ttlMs: number;
  #url: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What this node would make the secret of the cluster, or what it is already. */
  #secret: string = randomBytes(SECRET_BYTES).toString('base64url');
  #isShared = false;

  constructor(link: Link, { node, ttlMs }: LeaseOptions) {
    this.name = node;
    this.#link = link;
    this.#ttlMs = ttlMs;
  }

  /** While Redis is away it goes on trying, also after a rejection. */
  async announce(url: string): Promise<void> {
    this.#url = url;
    this.#timer ??= setInterval(() => void this.#renew(), this.#ttlMs * RENEWED).unref();
    await this.#tell(url);
  }

  urlOf(node: string): Promise<string | null> {
    return this.#link.ask(nodeKey(node), (client, name) => client.get(name));
  }

  async secret(): Promise<string> {
    if (!this.#isShared) await this.#share();
    return this.#secret;
  }

  /** Takes back what this node has said. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#url === undefined) return;
    this.#url = undefined;
    // When it cannot be told, the URL fades by itself.
    await this.#link.ask(nodeKey(this.name), (client, name) => client.del(name)).catch(() => undefined);
  }

  async #renew(): Promise<void> {
    try {
      if (this.#url !== undefined) await this.#tell(this.#url);
      // A Redis that has lost its data gets the secret back, so that nodes which start now know the others.
      if (this.#isShared) await this.#share();
    } catch {
      // The store is away: told again the next time.
    }
  }

  async #tell(url: string): Promise<void> {
    const expiration = { type: 'PX', value: Math.ceil(this.#ttlMs * STAYS) } as const;
    await this.#link.ask(nodeKey(this.name), (client, name) => client.set(name, url, { expiration }));
  }

  /** The first node decides. */
  async #share(): Promise<void> {
    const kept = await this.#link.ask(SECRET_KEY, (client, name) => client.set(name, this.#secret, { condition: 'NX', GET: true }));
    this.#secret = kept ?? this.#secret;
    this.#isShared = true;
  }
}
