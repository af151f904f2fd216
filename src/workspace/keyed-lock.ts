// One holder a key at a time, first come first served, over all sessions of the process.
const tails = new Map<string, Promise<unknown>>();

/** Runs `action` once every earlier holder of `key` has ended, however it ended. */
export async function withLock<T>(key: string, action: () => Promise<T>): Promise<T> {
  const run = (tails.get(key) ?? Promise.resolve()).then(action);
  // The next holder waits for the end, not for success; the failure itself goes to this caller alone.
  const tail = run.catch(() => undefined);
  tails.set(key, tail);
  try {
    return await run;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
