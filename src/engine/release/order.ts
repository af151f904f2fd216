// Releases finished things strictly in call order, however they finish.

export class OrderedRelease<Item> {
  readonly #release: (item: Item) => void;
  readonly #waiting = new Map<number, Item>();
  #next = 0;

  constructor(release: (item: Item) => void) {
    this.#release = release;
  }

  /** Takes the item of one index, once, and releases all that is now in order. */
  finish(index: number, item: Item): void {
    this.#waiting.set(index, item);
    for (let ready = this.#waiting.get(this.#next); ready !== undefined; ready = this.#waiting.get(this.#next)) {
      this.#waiting.delete(this.#next);
      this.#next += 1;
      this.#release(ready);
    }
  }
}
