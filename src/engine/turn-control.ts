// The outside's grip on a turn: abort all, discard all, cancel one. The first reason wins.
import type { StopReason } from '../contract/index.ts';

export class TurnControl {
  readonly #turn = new AbortController();
  readonly #calls = new Map<string, AbortController>();

  /** Fires with a {@link StopReason} when the whole turn is stopped. */
  get signal(): AbortSignal {
    return this.#turn.signal;
  }

  get stopped(): StopReason | undefined {
    return this.#turn.signal.aborted ? (this.#turn.signal.reason as StopReason) : undefined;
  }

  abort(message: string): void {
    this.#turn.abort({ kind: 'aborted', message } satisfies StopReason);
  }

  discard(message: string): void {
    this.#turn.abort({ kind: 'discarded', message } satisfies StopReason);
  }

  /** Stops one call, also before it has begun or even arrived. */
  cancel(toolUseId: string, message: string): void {
    this.#controller(toolUseId).abort({ kind: 'aborted', message } satisfies StopReason);
  }

  /** Fires when this one call is cancelled. */
  signalOf(toolUseId: string): AbortSignal {
    return this.#controller(toolUseId).signal;
  }

  /** Why this one call is cancelled, if it is. */
  stopOf(toolUseId: string): StopReason | undefined {
    const signal = this.#calls.get(toolUseId)?.signal;
    return signal?.aborted ? (signal.reason as StopReason) : undefined;
  }

  /** The call has ended: nothing can cancel it any more. */
  forget(toolUseId: string): void {
    this.#calls.delete(toolUseId);
  }

  #controller(toolUseId: string): AbortController {
    let controller = this.#calls.get(toolUseId);
    if (controller === undefined) this.#calls.set(toolUseId, (controller = new AbortController()));
    return controller;
  }
}
