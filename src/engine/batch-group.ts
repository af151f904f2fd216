import type { StopReason, ToolUse } from '../contract/index.ts';
import { Channel } from './channel.ts';

/** A batch that is being filled and run: its calls as they come, and the failure that stops its shells. */
export class BatchGroup<Entry> {
  readonly index: number;
  readonly concurrent: boolean;
  readonly calls = new Channel<Entry>();
  readonly #siblings = new AbortController();

  constructor(index: number, concurrent: boolean) {
    this.index = index;
    this.concurrent = concurrent;
  }

  /** Fires when a call failed whose tool stops its siblings. */
  get signal(): AbortSignal {
    return this.#siblings.signal;
  }

  get failed(): StopReason | undefined {
    return this.#siblings.signal.aborted ? (this.#siblings.signal.reason as StopReason) : undefined;
  }

  fail(use: ToolUse): void {
    const message = `Cancelled: the parallel call ${use.id} (${use.name}) of the same batch failed.`;
    this.#siblings.abort({ kind: 'cancelled_sibling', message } satisfies StopReason);
  }
}
