// Writers ask, the next turn of the event loop answers: what was asked for meanwhile shares one transaction, in the order of asking.

/** Milliseconds that one transaction may take in more work before it commits and lets the event loop breathe. */
const BUDGET_MS = 4;

/** Runs `work` in one transaction: all of it is written, or it throws and nothing is. */
export type Transaction = <T>(work: () => T) => T;

export interface GroupCommit {
  /** Resolves once the transaction with this work is written; work that fails takes none of its neighbours with it. */
  run<T>(work: () => T): Promise<T>;
  /** Writes all that waits before it returns. */
  flush(): void;
}

interface Job {
  /** Does the work and gives what tells the writer so, to be called after the commit. */
  readonly start: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** Groups synchronous work into shared transactions. */
export function groupCommit(transaction: Transaction): GroupCommit {
  const waiting: Job[] = [];
  let scheduled: NodeJS.Immediate | undefined;

  const schedule = (): void => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      writeGroup(waiting, transaction);
      if (waiting.length > 0) schedule();
    });
  };

  return {
    run<T>(work: () => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const start = (): (() => void) => {
        const value = work();
        return () => resolve(value);
      };
      waiting.push({ start, reject });
      schedule();
      return promise;
    },
    flush(): void {
      clearImmediate(scheduled);
      scheduled = undefined;
      while (waiting.length > 0) writeGroup(waiting, transaction);
    },
  };
}

/** Takes the jobs at the head of the queue, at least one, through a shared transaction, or each through its own if that fails. */
function writeGroup(waiting: Job[], transaction: Transaction): void {
  let tried = 0;
  let acknowledgements: (() => void)[];
  try {
    acknowledgements = transaction(() => {
      const done: (() => void)[] = [];
      const deadline = performance.now() + BUDGET_MS;
      for (const job of waiting) {
        tried += 1;
        done.push(job.start());
        if (performance.now() >= deadline) break;
      }
      return done;
    });
  } catch {
    // Which job is at fault, and whether the fault is its own, shows when each is tried alone.
    for (const job of waiting.splice(0, Math.max(tried, 1))) writeAlone(job, transaction);
    return;
  }
  waiting.splice(0, tried);
  for (const acknowledge of acknowledgements) acknowledge();
}

function writeAlone(job: Job, transaction: Transaction): void {
  try {
    transaction(job.start)();
  } catch (error) {
    job.reject(error);
  }
}
