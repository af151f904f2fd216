// The outside's grip on a turn: abort all, discard all, cancel one. The first reason wins.
import type { StopReason } from '../contract/index.ts';
import type { CallStop } from './call/call-stop.ts';

export class TurnControl {
  readonly #running = new Map<string, CallStop>();
  readonly #cancelled = new Map<string, StopReason>();
  readonly #background = new Map<string, AbortController>();
  #stopped: StopReason | undefined;
  #halted: string | undefined;
  #left: StopReason | undefined;
  #controller: AbortController | undefined;

  /** Fires when the whole turn is stopped or left. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    const over = this.#stopped ?? this.#left;
    if (over !== undefined) this.#controller.abort(over);
    return this.#controller.signal;
  }

  /** Why the whole turn is stopped, if it is. */
  get stopped(): StopReason | undefined {
    return this.#stopped;
  }

  /** @param atOnce no call may finish what it is at */
  abort(message: string, { atOnce = false } = {}): void {
    this.#stop({ kind: 'aborted', message });
    if (atOnce) for (const call of this.#running.values()) call.stopAtOnce({ kind: 'aborted', message });
  }

  /** A hook ended the turn: what is unfinished is aborted. */
  halt(reason: string): void {
    this.#halted ??= reason;
    this.abort(`A hook ended the turn: ${reason}`);
  }

  /** Why a hook ended the turn, if one did. */
  get halted(): string | undefined {
    return this.#halted;
  }

  discard(message: string): void {
    this.#stop({ kind: 'discarded', message });
  }

  /** Stops one call, also before it has begun or even arrived. */
  cancel(toolUseId: string, message: string): void {
    const reason: StopReason = { kind: 'aborted', message };
    this.#cancelled.set(toolUseId, reason);
    this.#running.get(toolUseId)?.stop(reason);
  }

  /** Fires when somebody wants this call to go on in the background. */
  backgroundRequest(toolUseId: string): AbortSignal {
    const controller = this.#background.get(toolUseId) ?? new AbortController();
    this.#background.set(toolUseId, controller);
    return controller.signal;
  }

  /** @returns false when the call does not run, or its tool cannot go on in the background */
  toBackground(toolUseId: string): boolean {
    const controller = this.#background.get(toolUseId);
    controller?.abort();
    return controller !== undefined;
  }

  /** Why a call must not start, if it must not. */
  stopOf(toolUseId: string): StopReason | undefined {
    return this.#stopped ?? this.#cancelled.get(toolUseId);
  }

  /** The call runs from now until `leave`: what stops the turn or the call stops it. */
  enter(toolUseId: string, stop: CallStop): void {
    this.#running.set(toolUseId, stop);
    const reason = this.stopOf(toolUseId);
    if (reason !== undefined) stop.stop(reason);
    else if (this.#left !== undefined) stop.leave(this.#left);
  }

  leave(toolUseId: string): void {
    this.#running.delete(toolUseId);
    this.#cancelled.delete(toolUseId);
    this.#background.delete(toolUseId);
  }

  /**
   * The turn is left for another process to go on with: what can run again there is stopped and has no end here, and nothing
   * begins any more. A turn that was stopped before is not left: it ends.
   */
  leaveAll(message: string): void {
    if (this.#stopped !== undefined || this.#left !== undefined) return;
    this.#left = { kind: 'aborted', message };
    this.#controller?.abort(this.#left);
    for (const call of this.#running.values()) call.leave(this.#left);
  }

  get left(): boolean {
    return this.#left !== undefined;
  }

  /** A discard counts also after an abort: then too nobody wants the results. */
  #stop(reason: StopReason): void {
    if (this.#stopped?.kind === reason.kind || this.#stopped?.kind === 'discarded') return;
    this.#stopped = reason;
    this.#controller?.abort(reason);
    for (const call of this.#running.values()) call.stop(reason);
  }
}
