// The turns of a session, which run one after another in arrival order.
import PQueue from 'p-queue';
import type { Turn } from './turn.ts';

/** The newest turn as a retry is recognised by: its calls are compared only where the ids are the same. */
export interface NewestTurn {
  readonly id: string;
  readonly toolUseIds: readonly string[];
}

export interface TurnQueueOptions {
  /** Turns the session has had so far. */
  readonly count: number;
  readonly newest: NewestTurn | null;
  /** Runs one turn to its end. Never throws. */
  readonly run: (turn: Turn) => Promise<void>;
}

/** What others may ask of a session's turns. */
export type Turns = Pick<TurnQueue, 'open' | 'find' | 'newest' | 'idle' | 'rests' | 'neededFor'>;

export class TurnQueue {
  readonly #run: (turn: Turn) => Promise<void>;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #turns = new Map<string, Turn>();
  #count: number;
  #newest: NewestTurn | null;
  /** Place of the newest turn: an older one may run again, to settle a call of it. */
  #newestOrdinal: number;

  constructor({ count, newest, run }: TurnQueueOptions) {
    this.#count = this.#newestOrdinal = count;
    this.#newest = newest;
    this.#run = run;
  }

  /** Turns that run or wait. */
  get size(): number {
    return this.#turns.size;
  }

  /** Turns that run or wait, oldest first. */
  get open(): Turn[] {
    return [...this.#turns.values()];
  }

  /** True when nothing runs or waits, also no work that stands before turns. */
  get asleep(): boolean {
    return this.#turns.size + this.#queue.size + this.#queue.pending === 0;
  }

  /** The place of the next new turn among all that the session has had. */
  nextOrdinal(): number {
    return ++this.#count;
  }

  find(turnId: string): Turn | undefined {
    return this.#turns.get(turnId);
  }

  /** The newest turn as a retry is compared with: live where it still runs. */
  newest(): NewestTurn | null {
    const live = this.open.findLast(({ record }) => record.ordinal >= this.#newestOrdinal);
    return live === undefined ? this.#newest : newestOf(live);
  }

  add(turn: Turn): void {
    this.#turns.set(turn.id, turn);
    void this.#queue.add(() => this.#run(turn));
  }

  /** The turn has ended, before whoever waits for it is told. @param kept false when its end is not in the log */
  remove(turn: Turn, kept: boolean): void {
    if (kept && turn.record.ordinal >= this.#newestOrdinal) {
      this.#newest = newestOf(turn);
      this.#newestOrdinal = turn.record.ordinal;
    }
    this.#turns.delete(turn.id);
  }

  /** Work that the next turns wait for. */
  before<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#queue.add(work);
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    await this.#queue.onIdle();
  }

  /** Resolves when nothing runs, or only people could go on with what does. */
  async rests(): Promise<void> {
    for (let [first] = this.open; first !== undefined; [first] = this.open) {
      const needsPeople = first.actionNeeded().then(() => true);
      const ended = first.done.then(
        () => false,
        () => false,
      );
      if (await Promise.race([needsPeople, ended])) return;
    }
    await this.idle();
  }

  /** Resolves with the turn that needs people before this one can go on: itself, or one before it. Never once this one has ended. */
  async neededFor(turn: Turn, signal: AbortSignal): Promise<Turn> {
    for (;;) {
      const first = this.open[0];
      if (first === undefined || !this.#turns.has(turn.id) || signal.aborted) return new Promise(() => {});
      await Promise.race([first.actionNeeded(signal), first.done.catch(() => {})]);
      if (this.#turns.has(first.id)) return first;
    }
  }
}

function newestOf(turn: Turn): NewestTurn {
  return { id: turn.id, toolUseIds: turn.calls.map(({ id }) => id) };
}
