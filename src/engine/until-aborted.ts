/** Iterates a source until it ends or the signal fires, even while the source has nothing to give. */
export async function* untilAborted<Item>(source: Iterable<Item> | AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item, void> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const { promise, resolve } = Promise.withResolvers<IteratorReturnResult<undefined>>();
  const end = (): void => resolve({ done: true, value: undefined });
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), promise]);
      if (step.done) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    // Not awaited: a source that is waiting for its next item would never answer.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
