// Who gets the next free place. Keys take turns, and so do the sessions of each; a session has its own line, first come, first
// served. What runs is never interrupted, so a session may take a place only while it and its key together hold no more than
// twice what is free: however long its commands run, it leaves places to those who come later, and the more of them fill theirs,
// the smaller each one's share. One session alone gets half of the places; many of one key get two thirds, which is twice what
// a session of another key gets beside them.
import type { CommandOwner } from '../contract/index.ts';

export interface FairPlaces<Waiter> {
  /** Puts it at the end of its session's line. */
  wait(owner: CommandOwner, waiter: Waiter): void;
  /** Takes one that has given up out of the line; does nothing when it has its place already. */
  leave(owner: CommandOwner, waiter: Waiter): void;
  /** Gives a place away: to whom, or `undefined` when nobody who waits may have one now. */
  next(): Waiter | undefined;
  /** Takes back a place that was given to this owner. */
  release(owner: CommandOwner): void;
}

/** The lines of a key by session. Whose turn is next comes first. */
type Lines<Waiter> = Map<string, Set<Waiter>>;

/** @param capacity places in all, at least one */
export function createFairPlaces<Waiter>(capacity: number): FairPlaces<Waiter> {
  /** The key whose turn is next comes first. */
  const keys = new Map<string, Lines<Waiter>>();
  const [heldByKey, heldBySession] = [createTally(), createTally()];
  let free = capacity;

  function mayTake(key: string, session: string): boolean {
    return free > 0 && heldByKey.of(key) + heldBySession.of(session) <= 2 * free;
  }

  function take(key: string, session: string): void {
    heldByKey.add(key, 1);
    heldBySession.add(session, 1);
    free -= 1;
  }

  return {
    wait({ key, session }, waiter) {
      const lines = entryOf(keys, key, () => new Map<string, Set<Waiter>>());
      entryOf(lines, session, () => new Set<Waiter>()).add(waiter);
    },
    leave({ key, session }, waiter) {
      const lines = keys.get(key);
      const line = lines?.get(session);
      line?.delete(waiter);
      if (line?.size === 0) lines?.delete(session);
      if (lines?.size === 0) keys.delete(key);
    },
    next() {
      for (const [key, lines] of keys) {
        for (const [session, line] of lines) {
          const [waiter] = line;
          if (waiter === undefined || !mayTake(key, session)) continue;
          take(key, session);
          line.delete(waiter);
          toTheEnd(lines, session, line);
          toTheEnd(keys, key, lines);
          return waiter;
        }
      }
      return undefined;
    },
    release({ key, session }) {
      heldByKey.add(key, -1);
      heldBySession.add(session, -1);
      free += 1;
    },
  };
}

/** Its turn was: it comes last, or not at all when nobody waits there any more. */
function toTheEnd<Value extends { readonly size: number }>(turns: Map<string, Value>, name: string, value: Value): void {
  turns.delete(name);
  if (value.size > 0) turns.set(name, value);
}

function entryOf<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}

/** Counts by name, without those that are zero. */
function createTally() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, change: number): void {
      const count = of(name) + change;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
  };
}
