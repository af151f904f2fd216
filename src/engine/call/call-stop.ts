// Everything that may stop one call meets here: the turn, its batch, the call's own cancel, its deadline. The first
// reason wins. A tool that does not obey gets a grace period, then its call is closed without it.
import type { StopReason } from '../../contract/index.ts';
import { Moment } from './moment.ts';

export interface StopTimes {
  /** Milliseconds a stopped tool has before its call is closed without it. */
  readonly graceMs: number;
  /** Milliseconds a running call may go on after it was told to stop: a write in its critical section. */
  readonly holdMs: number;
}

export class CallStop {
  readonly #times: StopTimes;
  readonly #controller = new AbortController();
  readonly #stopped = new Moment<void>();
  readonly #closed = new Moment<StopReason>();
  #timer: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #limitMs = 0;
  /** Told of the end of a step that is under way. */
  #whenClosed: ((reason: StopReason) => void) | undefined;
  #reason: StopReason | undefined;
  #running = false;
  #over = false;
  readonly #ended = new Moment<void>();
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

  /** What the step gives, or what stands for it where the call is closed before that. One step at a time. */
  untilClosed<Result>(step: () => Promise<Result>, closed: (reason: StopReason) => Result): Promise<Result> {
    const already = this.#closed.value;
    if (already !== undefined) return Promise.resolve(closed(already));
    return new Promise<Result>((resolve, reject) => {
      this.#whenClosed = (reason) => resolve(closed(reason));
      step().then(resolve, reject);
    });
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
    if (this.#over) return;
    if (this.#deadline !== undefined && this.#limitMs === timeoutMs) {
      this.#deadline.refresh();
      return;
    }
    clearTimeout(this.#deadline);
    this.#limitMs = timeoutMs;
    this.#deadline = setTimeout(() => this.#timeOut(timeoutMs), timeoutMs);
  }

  #timeOut(timeoutMs: number): void {
    const message = `The call did not finish within ${timeoutMs} ms and was stopped.`;
    this.#fire((this.#reason ??= { kind: 'timed_out', message }));
  }

  /** Time does not count from now on: people are asked. */
  unlimit(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  /** The tool starts, with a time of its own. */
  start(timeoutMs: number): void {
    this.#running = true;
    this.limit(timeoutMs);
  }

  /** The call has ended: no timer is left. */
  release(): void {
    this.#over = true;
    this.#ended.come();
    this.rest();
  }

  /** No timer runs on; the call is as it is. */
  rest(): void {
    clearTimeout(this.#timer);
    this.unlimit();
  }

  #fire(reason: StopReason): void {
    if (this.#controller.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#controller.abort(reason);
    this.#stopped.come();
    this.#timer = setTimeout(() => this.#close(reason), this.#times.graceMs);
  }

  #close(reason: StopReason): void {
    this.#closed.come(reason);
    this.#whenClosed?.(reason);
  }
}
