import { Problem } from '../../contract/index.ts';

/** Sessions of one owner that are being made now. */
interface Making {
  count: number;
  /** Resolves when all of them are made, or have failed. */
  settled: Promise<unknown>;
}

export interface SessionQuotaOptions {
  /** Sessions that the store holds of an owner. */
  readonly count: (owner: string) => Promise<number>;
  readonly limit: number;
}

/** Keeps owners to their number of sessions, also when many are made in the same moment. */
export class SessionQuota {
  readonly #count: SessionQuotaOptions['count'];
  readonly #limit: number;
  readonly #making = new Map<string, Making>();

  constructor({ count, limit }: SessionQuotaOptions) {
    this.#count = count;
    this.#limit = limit;
  }

  /**
   * Makes a session if there is room for one.
   * @param make resolves when the store holds the session
   * @throws Problem `too-many-requests`, and whatever `make` throws
   */
  async within<T>(owner: string, make: () => Promise<T>): Promise<T> {
    const making = this.#making.get(owner) ?? { count: 0, settled: Promise.resolve() };
    this.#making.set(owner, making);
    const made = this.#room(owner, { ...making }).then(make);
    making.count += 1;
    making.settled = Promise.allSettled([making.settled, made]);
    try {
      return await made;
    } finally {
      making.count -= 1;
      if (making.count === 0) this.#making.delete(owner);
    }
  }

  /** Those that were begun earlier may be in the store by now: where that decides, they are waited for and counted again. */
  async #room(owner: string, earlier: Readonly<Making>): Promise<void> {
    if ((await this.#count(owner)) + earlier.count < this.#limit) return;
    await earlier.settled;
    if ((await this.#count(owner)) < this.#limit) return;
    throw new Problem('too-many-requests', `At most ${this.#limit} sessions may be open; delete some first.`, { retryAfterSeconds: 60 });
  }
}
