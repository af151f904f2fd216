// Leases of one node: taken, extended and ended by scripts that compare first. One timer looks after all of them.
//
//   sent ──────────────── TTL − margin ─────── TTL ────── TTL + delay
//    the last renewal      `lost`: nothing      what runs   another node
//    that was granted      starts any more      has ended   can take it
//
// Times count from the moment at which a renewal was sent, by the monotonic clock, so Redis always waits longer than the node.
import type { Lease, Leases } from '../../contract/index.ts';
import { sessionKeys } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';
import { EPOCH_STAYS_MS } from './sessions.ts';

/** Of the time to live: how often a lease is renewed, how long before its end nothing starts any more, and how long after it nobody gets it. */
const [RENEWED, MARGIN, DELAY] = [1 / 3, 1 / 5, 2 / 15];
/** The most that the two last may be, in milliseconds. */
const [MOST_MARGIN_MS, MOST_DELAY_MS] = [3_000, 2_000];
/** How many times the timer looks in one time to live. */
const LOOKS = 15;

export interface LeaseOptions {
  /** Name of this node, used by no other process and by none before it. */
  readonly node: string;
  /** Milliseconds for which a lease is held after its last renewal. */
  readonly ttlMs: number;
}

interface Held {
  readonly sessionId: string;
  /** As Redis keeps it. */
  readonly value: string;
  readonly loss: AbortController;
  /** Milliseconds of the monotonic clock. */
  renewedAt: number;
  renewing: boolean;
}

export class RedisLeases implements Leases {
  readonly #link: Link;
  readonly #node: string;
  readonly #ttlMs: number;
  readonly #held = new Map<string, Held>();
  readonly #timer: NodeJS.Timeout;

  constructor(link: Link, { node, ttlMs }: LeaseOptions) {
    this.#link = link;
    this.#node = node;
    this.#ttlMs = ttlMs;
    this.#timer = setInterval(() => this.#look(), ttlMs / LOOKS).unref();
  }

  async acquire(sessionId: string): Promise<Lease | null> {
    const { owner, epoch: epochKey, session } = sessionKeys(sessionId);
    const renewedAt = performance.now();
    const epoch = (await this.#link.run(SCRIPTS.leaseAcquire, [owner, epochKey, session], [this.#node, this.#heldMs, EPOCH_STAYS_MS])) as
      | string
      | null;
    if (epoch === null) return null;
    const held: Held = { sessionId, value: `${epoch} ${this.#node}`, loss: new AbortController(), renewedAt, renewing: false };
    this.#held.set(sessionId, held);
    const isHeld = (): boolean => this.#check(held);
    // The answer may have come late: then it is as good as none.
    if (!isHeld()) {
      await this.#release(held);
      return null;
    }
    return { sessionId, epoch: Number(epoch), lost: held.loss.signal, isHeld, release: () => this.#release(held) };
  }

  async holder(sessionId: string): Promise<string | null> {
    const value = await this.#link.ask(sessionKeys(sessionId).owner, (client, name) => client.get(name));
    return value && value.slice(value.indexOf(' ') + 1);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#held.values()].map((held) => this.#release(held)));
  }

  /** Milliseconds after which another node can take a lease. */
  get #heldMs(): number {
    return Math.ceil(this.#ttlMs + Math.min(this.#ttlMs * DELAY, MOST_DELAY_MS));
  }

  /** All that are due at once, so that their commands travel together. */
  #look(): void {
    for (const held of this.#held.values()) {
      const isDue = performance.now() - held.renewedAt >= this.#ttlMs * RENEWED;
      if (this.#check(held) && isDue && !held.renewing) void this.#renew(held);
    }
  }

  async #renew(held: Held): Promise<void> {
    held.renewing = true;
    const sentAt = performance.now();
    try {
      const renewed = await this.#link.run(SCRIPTS.leaseRenew, [sessionKeys(held.sessionId).owner], [held.value, this.#heldMs]);
      if (renewed !== 1) this.#lose(held, 'another node has it, or the store has forgotten it');
      else if (!held.loss.signal.aborted) held.renewedAt = sentAt;
    } catch {
      // The store is away: tried again when the timer looks next, until the time is over.
    } finally {
      held.renewing = false;
    }
  }

  /** Whether something may start under a lease at this moment. */
  #check(held: Held): boolean {
    const { signal } = held.loss;
    if (!signal.aborted && performance.now() >= held.renewedAt + this.#ttlMs - Math.min(this.#ttlMs * MARGIN, MOST_MARGIN_MS)) {
      this.#lose(held, 'it could not be renewed in time');
    }
    return !signal.aborted;
  }

  #lose(held: Held, why: string): void {
    this.#forget(held);
    held.loss.abort(new Error(`The lease of session ${held.sessionId} is lost: ${why}.`));
  }

  async #release(held: Held): Promise<void> {
    this.#forget(held);
    held.loss.abort(new Error(`The lease of session ${held.sessionId} was released.`));
    // When it cannot be told, the lease ends by itself.
    await this.#link.run(SCRIPTS.leaseRelease, [sessionKeys(held.sessionId).owner], [held.value]).catch(() => undefined);
  }

  #forget(held: Held): void {
    if (this.#held.get(held.sessionId) === held) this.#held.delete(held.sessionId);
  }
}
