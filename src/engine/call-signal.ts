// Joins all that may stop one call: the turn, its batch, the call's own cancel, its deadline. The first reason wins.
import type { StopReason } from '../contract/index.ts';

export interface CallSignal {
  readonly signal: AbortSignal;
  /** The reason, once the signal has fired. */
  stopped(): StopReason | undefined;
  /** Starts the deadline; call it when the call starts. */
  startDeadline(timeoutMs: number): void;
  /** Removes listeners and timer. */
  release(): void;
}

/** @param holdMs how long a call that has started may go on after it was told to stop (a write in its critical section) */
export function joinSignals(sources: readonly AbortSignal[], holdMs = 0): CallSignal {
  const controller = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  let held: NodeJS.Timeout | undefined;
  const follow = (event: Event): void => {
    const { reason } = event.target as AbortSignal;
    if (holdMs === 0 || deadline === undefined) controller.abort(reason);
    else held ??= setTimeout(() => controller.abort(reason), holdMs);
  };
  for (const source of sources) {
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: controller.signal,
    stopped: () => (controller.signal.aborted ? (controller.signal.reason as StopReason) : undefined),
    startDeadline(timeoutMs) {
      const reason: StopReason = { kind: 'timed_out', message: `The tool did not finish within ${timeoutMs} ms and was stopped.` };
      deadline = setTimeout(() => controller.abort(reason), timeoutMs);
    },
    release() {
      clearTimeout(deadline);
      clearTimeout(held);
      for (const source of sources) source.removeEventListener('abort', follow);
    },
  };
}

/** Resolves once the signal has fired; `release` takes the listener away again. */
export function whenAborted(signal: AbortSignal): { readonly fired: Promise<void>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = (): void => resolve();
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', listener, { once: true });
  return { fired: promise, release: () => signal.removeEventListener('abort', listener) };
}

/** Resolves `graceMs` after the signal has fired, never before: the time a tool has to obey. */
export function whenGraceIsOver(signal: AbortSignal, graceMs: number): { readonly over: Promise<void>; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const aborted = whenAborted(signal);
  void aborted.fired.then(() => (timer = setTimeout(resolve, graceMs)));
  return {
    over: promise,
    release() {
      aborted.release();
      clearTimeout(timer);
    },
  };
}
