// Waiting that ends early: by a signal, or when something comes.

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/** Milliseconds after which a connection that was lost counts as one that had come about. */
export const LASTING_MS = 10_000;

/** Milliseconds to wait before the attempt of this index, counted from 0: twice as long each time, never all clients at once. */
export function backoffMs(attempt: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return full / 2 + (Math.random() * full) / 2;
}

/** As it is now: the compiler would take an earlier look for the last word. */
export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** @throws the reason of the signal, when that fires first */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(end, ms);
    const leave = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    function end(): void {
      signal?.removeEventListener('abort', leave);
      resolve();
    }
  });
}

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** A promise that is settled from outside. That nobody waits for it is no error. */
export function deferred<Value>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {
    // Whoever waits for it is told; it may be that nobody does.
  });
  // The function above has run.
  return { promise, ...(settle as Omit<Deferred<Value>, 'promise'>) };
}
