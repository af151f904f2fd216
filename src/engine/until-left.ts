/** Iterates a source until it ends or `left` resolves, even while the source has nothing to give. */
export async function* untilLeft<Item>(source: Iterable<Item> | AsyncIterable<Item>, left: Promise<void>): AsyncGenerator<Item, void> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const end = left.then((): IteratorReturnResult<undefined> => ({ done: true, value: undefined }));
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), end]);
      if (step.done) return;
      yield step.value;
    }
  } finally {
    // Not awaited: a source that is waiting for its next item would never answer.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
