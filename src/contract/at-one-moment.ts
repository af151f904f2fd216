// A batch of calls begins at one moment, and asks the system the same for each of them.

/** Does work once for all who ask under one name before anything else can happen; who asks later has it done again. */
export type AtOneMoment<T> = (name: string, work: () => Promise<T>) => Promise<T>;

export function atOneMoment<T>(): AtOneMoment<T> {
  const begun = new Map<string, Promise<T>>();
  return (name, work) => {
    const shared = begun.get(name);
    if (shared !== undefined) return shared;
    const done = work();
    begun.set(name, done);
    process.nextTick(() => begun.delete(name));
    return done;
  };
}
