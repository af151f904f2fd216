// Events on their way to the one consumer of a turn. It takes all that has happened since it last asked, and by coming
// back says that those are dealt with: kept, for a journal. A full outbox slows what would fill it further.
import type { EngineEvent } from '../../contract/index.ts';

/** Batches taken in a row before the loop has a turn. */
const STEPS_A_TURN_OF_THE_LOOP = 8;

export class Outbox {
  readonly #limit: number;
  #events: EngineEvent[] = [];
  #closed = false;
  #wakeConsumer: (() => void) | undefined;
  #handled = Promise.withResolvers<void>();
  /** Says of the batch that the consumer has that it is dealt with. */
  #taken: (() => void) | undefined;
  #steps = 0;
  #roomy: (() => void)[] = [];

  /** @param limit events that may wait before new calls have to */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The promise resolves when the consumer has dealt with this event. */
  put(event: EngineEvent): Promise<void> {
    this.#events.push(event);
    this.#wakeConsumer?.();
    return this.#handled.promise;
  }

  /** For what may be lost, such as progress: dropped when the consumer is behind. */
  offer(event: EngineEvent): void {
    if (this.#events.length < this.#limit && !this.#closed) void this.put(event);
  }

  get full(): boolean {
    return this.#events.length >= this.#limit && !this.#closed;
  }

  /** Resolves when the consumer is not behind. */
  async room(): Promise<void> {
    while (this.full) await new Promise<void>((resolve) => this.#roomy.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#wakeConsumer?.();
    this.#handled.resolve();
    this.#releaseRoom();
  }

  /** The next batch in order of happening, never empty; `undefined` after `close`. Asking says that the former is dealt with. */
  async next(): Promise<EngineEvent[] | undefined> {
    this.#taken?.();
    this.#taken = undefined;
    while (this.#events.length === 0) {
      if (this.#closed) return undefined;
      await new Promise<void>((resolve) => (this.#wakeConsumer = resolve));
      this.#wakeConsumer = undefined;
      // What happens in the same moment goes in one batch: a quick call is one step from its start to its result. A turn
      // that never waits must let timers and other sessions have theirs.
      const rest = ++this.#steps % STEPS_A_TURN_OF_THE_LOOP === 0;
      if (!this.#closed) await new Promise<void>((resolve) => (rest ? setImmediate(resolve) : process.nextTick(resolve)));
    }
    const batch = this.#events;
    this.#events = [];
    this.#taken = this.#handled.resolve;
    this.#handled = Promise.withResolvers<void>();
    this.#releaseRoom();
    return batch;
  }

  #releaseRoom(): void {
    if (this.#roomy.length === 0) return;
    for (const resolve of this.#roomy.splice(0)) resolve();
  }
}
