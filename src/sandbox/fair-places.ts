// Who gets the next free place. Owners take turns, each with its own line, first come, first served. What runs is never
// interrupted, so an owner may take a place only while it holds no more than are free: however long its commands run,
// it leaves places to those who come later, and the more owners fill theirs, the smaller each one's share.

export interface FairPlaces<Waiter> {
  /** Puts it at the end of its owner's line. */
  wait(owner: string, waiter: Waiter): void;
  /** Takes one that has given up out of the line; does nothing when it has its place already. */
  leave(owner: string, waiter: Waiter): void;
  /** Gives a place away: to whom, or `undefined` when nobody who waits may have one now. */
  next(): Waiter | undefined;
  /** Takes back a place that was given to this owner. */
  release(owner: string): void;
}

/** @param capacity places in all, at least one */
export function createFairPlaces<Waiter>(capacity: number): FairPlaces<Waiter> {
  /** The owner whose turn is next comes first. */
  const lines = new Map<string, Set<Waiter>>();
  const held = new Map<string, number>();
  let free = capacity;

  function mayTake(owner: string): boolean {
    return free > 0 && (held.get(owner) ?? 0) <= free;
  }

  return {
    wait(owner, waiter) {
      const line = lines.get(owner);
      if (line === undefined) lines.set(owner, new Set([waiter]));
      else line.add(waiter);
    },
    leave(owner, waiter) {
      const line = lines.get(owner);
      line?.delete(waiter);
      if (line?.size === 0) lines.delete(owner);
    },
    next() {
      for (const [owner, line] of lines) {
        if (!mayTake(owner)) continue;
        const [waiter] = line;
        if (waiter === undefined) continue;
        line.delete(waiter);
        lines.delete(owner);
        if (line.size > 0) lines.set(owner, line);
        held.set(owner, (held.get(owner) ?? 0) + 1);
        free -= 1;
        return waiter;
      }
      return undefined;
    },
    release(owner) {
      const left = (held.get(owner) ?? 0) - 1;
      if (left > 0) held.set(owner, left);
      else held.delete(owner);
      free += 1;
    },
  };
}
