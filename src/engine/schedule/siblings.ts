import type { StopReason, ToolUse } from '../../contract/index.ts';
import type { CallStop } from '../call/call-stop.ts';

/** Calls of shells that stand side by side in the message: where one fails, the others are not worth going on with. */
export class Siblings {
  /** Whether calls that are safe beside others may come in. */
  readonly concurrent: boolean;
  readonly #running = new Set<CallStop>();
  #failed: StopReason | undefined;

  constructor(concurrent: boolean) {
    this.concurrent = concurrent;
  }

  /** Set when one has failed. */
  get failed(): StopReason | undefined {
    return this.#failed;
  }

  /** A call that stops with its siblings runs from now until `leave`. */
  enter(shell: CallStop): void {
    this.#running.add(shell);
    if (this.#failed !== undefined) shell.stop(this.#failed);
  }

  leave(shell: CallStop): void {
    this.#running.delete(shell);
  }

  fail(use: ToolUse): void {
    const message = `Cancelled: the parallel call ${use.id} (${use.name}) of the same batch failed.`;
    this.#failed ??= { kind: 'cancelled_sibling', message };
    for (const shell of this.#running) shell.stop(this.#failed);
  }
}
