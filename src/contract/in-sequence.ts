/** Runs work one after another where it has the same name, in the order in which it was asked for. */
export type InSequence = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function inSequence(): InSequence {
  const tails = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = tails.get(name);
    const done = before === undefined ? work() : before.then(work);
    // Whoever comes next waits for the end, not for success; a failure goes to the one who asked.
    const tail = done.catch(() => undefined);
    tails.set(name, tail);
    try {
      return await done;
    } finally {
      if (tails.get(name) === tail) tails.delete(name);
    }
  };
}
