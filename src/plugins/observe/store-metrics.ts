// How long the store takes and how often it fails, whichever store it is.
import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { Problem, type Store } from '../../contract/index.ts';

const COMMIT_SECONDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** @returns a function that gives a store which does the same and is looked at */
export function storeMetrics(registry: Registry): (store: Store) => Store {
  const registers = [registry];
  const commits = new Histogram({
    name: 'toolexec_store_commit_seconds',
    help: 'Time until a step of a turn was kept.',
    buckets: COMMIT_SECONDS,
    registers,
  });
  const errors = new Counter({
    name: 'toolexec_store_errors_total',
    help: 'What the store could not do, by what it was.',
    labelNames: ['operation'],
    registers,
  });

  return (store) => {
    const looked = Object.fromEntries(
      Object.entries(store).map(([operation, work]: [string, (...args: readonly unknown[]) => unknown]) => [
        operation,
        (...args: readonly unknown[]): unknown => {
          const answer = work(...args);
          if (answer instanceof Promise) {
            answer.catch((error: unknown) => {
              if (isFailure(error)) errors.inc({ operation });
            });
          }
          return answer;
        },
      ]),
      // A store is an object of functions, and each was wrapped into one like it.
    ) as unknown as Store;
    return {
      ...looked,
      async commit(step) {
        const since = performance.now();
        await looked.commit(step);
        commits.observe((performance.now() - since) / 1000);
      },
    };
  };
}

/** What a client asks wrongly is no failure of the store. */
function isFailure(error: unknown): boolean {
  return !(error instanceof Problem) || error.code === 'store-unavailable';
}
