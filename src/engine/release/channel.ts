// A queue between one side that pushes and one that iterates. It ends once, after what is in it was taken.

export interface ChannelOptions<Item> {
  /** What may have come since nothing waited before `full` is called. */
  readonly highWater: number;
  /** How much of that an item is. */
  readonly weigh: (item: Item) => number;
  full(): void;
  /** Called when what waited has been taken, after `full`. */
  drained(): void;
}

export class Channel<Item> implements AsyncIterable<Item> {
  readonly #options: ChannelOptions<Item> | undefined;
  #items: Item[] = [];
  #taken = 0;
  /** Of what is in `#items`, taken or not. */
  #weight = 0;
  #closed = false;
  #full = false;
  #wake: (() => void) | undefined;

  constructor(options?: ChannelOptions<Item>) {
    this.#options = options;
  }

  /** Ignored after `close`. */
  push(item: Item): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#weight += this.#options?.weigh(item) ?? 0;
    if (this.#options !== undefined && !this.#full && this.#weight > this.#options.highWater) {
      this.#full = true;
      this.#options.full();
    }
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The next item, or `undefined` when the channel has ended. One consumer only. */
  async next(): Promise<Item | undefined> {
    while (this.#taken >= this.#items.length) {
      this.#reset();
      if (this.#closed) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    return this.#items[this.#taken++];
  }

  [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
    return {
      next: async () => {
        const item = await this.next();
        return item === undefined ? { done: true, value: undefined } : { done: false, value: item };
      },
    };
  }

  #reset(): void {
    this.#items = [];
    this.#taken = 0;
    this.#weight = 0;
    if (!this.#full) return;
    this.#full = false;
    this.#options?.drained();
  }
}
