// The places in which calls of a turn run: a few side by side, or one that has them all.
import PQueue from 'p-queue';

export class Slots {
  readonly #queue: PQueue;
  #alone: Promise<unknown> = Promise.resolve();

  /** @param concurrency calls in flight at once */
  constructor(concurrency: number) {
    this.#queue = new PQueue({ concurrency });
  }

  /** Runs the work in one of the places, first come, first served. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work);
  }

  /** For work that holds a place and waits for something that is no work: another may have the place meanwhile. */
  async giveAway<T>(wait: () => Promise<T>): Promise<T> {
    this.#queue.concurrency += 1;
    try {
      return await wait();
    } finally {
      this.#queue.concurrency -= 1;
    }
  }

  /** Runs the work when everything that has asked for a place has ended, and lets nothing else begin meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#alone.then(async () => {
      await this.#queue.onIdle();
      this.#queue.pause();
      try {
        await this.#queue.onPendingZero();
        return await work();
      } finally {
        this.#queue.start();
      }
    });
    this.#alone = turn.catch(() => {
      // Whoever asked gets the error; the next in line need not.
    });
    return turn;
  }
}
