/** Tells when nothing was heard for a time. It stands still while people are asked. */
export interface IdleClock extends Disposable {
  /** Fires then. */
  readonly signal: AbortSignal;
  /** Something was heard: the time begins anew. */
  heard(): void;
  /** Time does not count until all of these have settled. */
  pauseFor<Result>(work: Promise<Result>): Promise<Result>;
}

export function startIdleClock(ms: number): IdleClock {
  const controller = new AbortController();
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    if (pauses === 0) timer = setTimeout(() => controller.abort(), ms);
  };
  heard();
  return {
    signal: controller.signal,
    heard,
    async pauseFor(work) {
      pauses += 1;
      clearTimeout(timer);
      try {
        return await work;
      } finally {
        pauses -= 1;
        heard();
      }
    },
    [Symbol.dispose]: () => {
      // Whoever still waits for people does not start it again.
      pauses = Infinity;
      clearTimeout(timer);
    },
  };
}
