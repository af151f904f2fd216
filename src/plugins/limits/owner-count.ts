import { Problem } from '../../contract/index.ts';

/** How many of something each owner has open. */
export class OwnerCount {
  readonly #limit: number;
  readonly #what: string;
  readonly #counts = new Map<string, number>();
  #size = 0;

  /** @param what the things, for whoever has too many */
  constructor(limit: number, what: string) {
    this.#limit = limit;
    this.#what = what;
  }

  /** How many all owners have open together. */
  get size(): number {
    return this.#size;
  }

  /** @throws Problem `too-many-requests` when the owner has as many as it may */
  assertRoom(owner: string): void {
    if ((this.#counts.get(owner) ?? 0) < this.#limit) return;
    const detail = `At most ${this.#limit} ${this.#what} may be open with one key; close some first.`;
    throw new Problem('too-many-requests', detail, { retryAfterSeconds: 10 });
  }

  /** One more, also where there is no room. @returns a function to call once, when it is closed */
  add(owner: string): () => void {
    this.#change(owner, 1);
    return () => this.#change(owner, -1);
  }

  #change(owner: string, change: number): void {
    this.#size += change;
    const count = (this.#counts.get(owner) ?? 0) + change;
    if (count > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
  }
}
