import { whenAborted } from './call-signal.ts';

/** Iterates a source until it ends or the signal fires, even while the source has nothing to give. */
export async function* untilAborted<Item>(source: Iterable<Item> | AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item, void> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const aborted = whenAborted(signal);
  const end = aborted.fired.then((): IteratorReturnResult<undefined> => ({ done: true, value: undefined }));
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), end]);
      if (step.done) return;
      yield step.value;
    }
  } finally {
    aborted.release();
    // Not awaited: a source that is waiting for its next item would never answer.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
