/** Hands the last value on that was put in; values that come faster than they are taken are passed over. */
export interface Latest<Value> extends AsyncIterable<Value> {
  put(value: Value): void;
  /** No more will come; what is there is still handed on. */
  end(): void;
}

export function createLatest<Value>(): Latest<Value> {
  let waiting: { readonly value: Value } | undefined;
  let ended = false;
  let changed = Promise.withResolvers<void>();
  return {
    put(value) {
      waiting = { value };
      changed.resolve();
    },
    end() {
      ended = true;
      changed.resolve();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        await changed.promise;
        changed = Promise.withResolvers();
        if (ended) changed.resolve();
        const taken = waiting;
        waiting = undefined;
        if (taken !== undefined) yield taken.value;
        else if (ended) return;
      }
    },
  };
}
