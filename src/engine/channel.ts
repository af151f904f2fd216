// A queue between one side that pushes and one that iterates. It ends once, after what is in it was taken.

export interface ChannelOptions {
  /** Items that may wait before `full` is called. */
  readonly highWater: number;
  full(): void;
  /** Called when what waited has been taken, after `full`. */
  drained(): void;
}

export class Channel<Item> implements AsyncIterable<Item> {
  readonly #options: ChannelOptions | undefined;
  #items: Item[] = [];
  #taken = 0;
  #closed = false;
  #full = false;
  #wake: (() => void) | undefined;

  constructor(options?: ChannelOptions) {
    this.#options = options;
  }

  /** Ignored after `close`. */
  push(item: Item): void {
    if (this.#closed) return;
    this.#items.push(item);
    if (this.#options !== undefined && !this.#full && this.#items.length - this.#taken > this.#options.highWater) {
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      const item = await this.next();
      if (item === undefined) return;
      yield item;
    }
  }

  #reset(): void {
    this.#items = [];
    this.#taken = 0;
    if (!this.#full) return;
    this.#full = false;
    this.#options?.drained();
  }
}
