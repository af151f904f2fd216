import { closedError } from './outages.ts';

/**
 * Counts what is on its way. `run` does work, and refuses it once `end` was called, which resolves when the rest is done.
 * @throws (`run`) Problem `store-unavailable`
 */
export function untilClosed() {
  let running = 0;
  let closed = false;
  const idle = Promise.withResolvers<void>();

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) throw closedError();
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      if (closed && running === 0) idle.resolve();
    }
  };
  /** Refuses what comes from now on, and waits for the rest. */
  const end = (): Promise<void> => {
    closed = true;
    if (running === 0) idle.resolve();
    return idle.promise;
  };
  return { run, end };
}
