// Any run of operations must give what the plain model gives: the same answers, the same refusals, the same rows at the end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Store } from '../../../src/contract/index.ts';
import { memoryStore } from '../memory-store.ts';
import type { OpenStore } from '../open-store.ts';
import { everythingOf } from '../rows.ts';
import { anyOperation, namesOf, SESSIONS, type NamedOperation } from './operations.ts';

/** A store in a box, since a reopen puts another one in. */
interface Box {
  store: Store;
}
type Command = fc.AsyncCommand<Box, Box>;

/** The property that holds a store against the model. */
export function modelPromises(open: OpenStore): void {
  describe('model', () => {
    test('any run of operations, with reopens in between, gives what a plain model gives', async (t) => {
      const opened = await open(t);
      const real: Box = { store: opened.store };
      let runs = 0;
      const reopen: Command = {
        check: () => true,
        run: async () => {
          real.store = await opened.reopen();
        },
        toString: () => 'reopen',
      };
      const operation = anyOperation().map((named) => commandOf(named, () => runs));
      const plans = fc.commands([operation, operation, operation, operation, operation, operation, fc.constant(reopen)], {
        maxCommands: 40,
        size: 'max',
      });
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          runs += 1;
          const ids = Array.from({ length: SESSIONS }, (_, n) => namesOf(runs).session(n));
          const model: Box = { store: memoryStore() };
          try {
            await fc.asyncModelRun(() => ({ model, real }), plan);
            for (const id of ids) await sameAnswer(model, real, (store) => everythingOf(store, id));
          } finally {
            // The next run, or the search for a smaller failing one, finds an empty store.
            for (const id of ids) await real.store.removeSession(id);
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

function commandOf({ name, operation }: NamedOperation, runNumber: () => number): Command {
  return {
    check: () => true,
    run: (model, real) => sameAnswer(model, real, (store) => operation(store, namesOf(runNumber()))),
    toString: () => name,
  };
}

async function sameAnswer(model: Box, real: Box, operation: (store: Store) => Promise<unknown>): Promise<void> {
  const [expected, actual] = [await answer(operation(model.store)), await answer(operation(real.store))];
  assert.deepEqual(actual, expected);
}

/** The value, or that it was refused: messages are each store's own. */
async function answer(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await promise };
  } catch {
    return 'refused';
  }
}
