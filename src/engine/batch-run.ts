import type { StopReason, ToolUse } from '../contract/index.ts';
import type { CallStop } from './call-stop.ts';

/** A batch that is being filled and run. */
export class BatchRun<Entry> {
  readonly index: number;
  readonly concurrent: boolean;
  /** In call order. */
  readonly entries: Entry[] = [];
  /** True while more calls may join. */
  open: boolean;
  unfinished = 0;
  readonly #shells = new Set<CallStop>();
  #failed: StopReason | undefined;

  constructor(index: number, concurrent: boolean) {
    this.index = index;
    this.concurrent = this.open = concurrent;
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    this.unfinished += 1;
  }

  get over(): boolean {
    return !this.open && this.unfinished === 0;
  }

  /** Set when a call failed whose tool stops its siblings. */
  get failed(): StopReason | undefined {
    return this.#failed;
  }

  /** A call that stops with its siblings runs from now until `leave`. */
  enter(shell: CallStop): void {
    this.#shells.add(shell);
    if (this.#failed !== undefined) shell.stop(this.#failed);
  }

  leave(shell: CallStop): void {
    this.#shells.delete(shell);
  }

  fail(use: ToolUse): void {
    const message = `Cancelled: the parallel call ${use.id} (${use.name}) of the same batch failed.`;
    this.#failed ??= { kind: 'cancelled_sibling', message };
    for (const shell of this.#shells) shell.stop(this.#failed);
  }
}
