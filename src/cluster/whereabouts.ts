// Which other node works on a session, asked once for all who want to know it at the same time.
import { LRUCache } from 'lru-cache';
import type { Leases, Nodes } from '../contract/index.ts';

/** Another node, which works on a session. */
export interface Place {
  readonly node: string;
  /** Where it answers; `null` when it has gone, or has not said. */
  readonly url: string | null;
}

interface Look {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly place: Promise<Place | null>;
}

const MAX_SESSIONS = 10_000;
const MAX_NODES = 1_000;

export class Whereabouts {
  readonly #leases: Pick<Leases, 'holder'>;
  readonly #nodes: Nodes;
  readonly #looks = new LRUCache<string, Look>({ max: MAX_SESSIONS });
  /** A node has one URL for as long as it lives. */
  readonly #urls = new LRUCache<string, string>({ max: MAX_NODES });

  constructor({ leases, nodes }: { leases: Pick<Leases, 'holder'>; nodes: Nodes }) {
    this.#leases = leases;
    this.#nodes = nodes;
  }

  /** Whether the session was at another node when somebody looked last. */
  knows(sessionId: string): boolean {
    return this.#looks.has(sessionId);
  }

  /**
   * @param maxAgeMs how long ago somebody may have looked
   * @returns `null` when this node has the session, or none
   * @throws Problem `store-unavailable`
   */
  find(sessionId: string, maxAgeMs: number): Promise<Place | null> {
    const known = this.#looks.get(sessionId);
    if (known !== undefined && performance.now() - known.at <= maxAgeMs) return known.place;
    const look: Look = { at: performance.now(), place: this.#look(sessionId) };
    this.#looks.set(sessionId, look);
    const forget = (): void => {
      if (this.#looks.peek(sessionId) === look) this.#looks.delete(sessionId);
    };
    look.place.then((place) => place === null && forget(), forget);
    return look.place;
  }

  async #look(sessionId: string): Promise<Place | null> {
    const node = await this.#leases.holder(sessionId);
    if (node === null || node === this.#nodes.name) return null;
    const url = this.#urls.get(node) ?? (await this.#nodes.urlOf(node));
    if (url !== null) this.#urls.set(node, url);
    return { node, url };
  }
}
