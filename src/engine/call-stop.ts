// Everything that may stop one call meets here: the turn, its batch, the call's own cancel, its deadline. The first
// reason wins. A tool that does not obey gets a grace period, then its call is closed without it.
import type { StopReason } from '../contract/index.ts';

export interface StopTimes {
  /** Milliseconds a stopped tool has before its call is closed without it. */
  readonly graceMs: number;
  /** Milliseconds a running call may go on after it was told to stop: a write in its critical section. */
  readonly holdMs: number;
}

export class CallStop {
  readonly #times: StopTimes;
  readonly #controller = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<StopReason>();
  #timer: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #reason: StopReason | undefined;
  #running = false;
  #over = false;
  readonly #ended = Promise.withResolvers<void>();
  #left = false;
  /** Another process can go on with the call: it has not begun here, may run again, or lies with the client. */
  resumable = true;

  constructor(times: StopTimes) {
    this.#times = times;
  }

  /** What the tool is told by; its reason is a {@link StopReason}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get reason(): StopReason | undefined {
    return this.#controller.signal.aborted ? this.#reason : undefined;
  }

  /** Resolves when the tool has been told to stop. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Resolves when a stopped tool has had its time. */
  get closed(): Promise<StopReason> {
    return this.#closed.promise;
  }

  /** Resolves when the call has ended, whatever its tool still does. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Tells the tool to stop, once. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    if (this.#running && this.#times.holdMs > 0) this.#timer = setTimeout(() => this.#fire(reason), this.#times.holdMs);
    else this.#fire(reason);
  }

  /** Tells the tool to stop now, also where it was told already and may finish what it is at. */
  stopAtOnce(reason: StopReason): void {
    this.#fire((this.#reason ??= reason));
  }

  /** Its turn is left to another process: the call is stopped, and where it can go on there it has no end here. */
  leave(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#left = this.resumable;
    this.stop(reason);
  }

  /** True of a call that was stopped so that it goes on elsewhere. */
  get left(): boolean {
    return this.#left;
  }

  /** The time the call has from now, whatever it is at. */
  limit(timeoutMs: number): void {
    const message = `The call did not finish within ${timeoutMs} ms and was stopped.`;
    clearTimeout(this.#deadline);
    if (this.#over) return;
    this.#deadline = setTimeout(() => this.#fire((this.#reason ??= { kind: 'timed_out', message })), timeoutMs);
  }

  /** Time does not count from now on: people are asked. */
  unlimit(): void {
    clearTimeout(this.#deadline);
  }

  /** The tool starts, with a time of its own. */
  start(timeoutMs: number): void {
    this.#running = true;
    this.limit(timeoutMs);
  }

  /** The call has ended: no timer is left. */
  release(): void {
    this.#over = true;
    this.#ended.resolve();
    this.rest();
  }

  /** No timer runs on; the call is as it is. */
  rest(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#deadline);
  }

  #fire(reason: StopReason): void {
    if (this.#controller.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#controller.abort(reason);
    this.#stopped.resolve();
    this.#timer = setTimeout(() => this.#closed.resolve(reason), this.#times.graceMs);
  }
}
