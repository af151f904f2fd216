// Which sessions leave memory. The store keeps them, and whoever asks opens them again; which files the model has read goes with
// a session, and it would have to read them again before it may edit: one that knows of any stays for longer.
import type { Session } from '../session.ts';

/** Milliseconds without anybody who asks: of a session that has done something since it was opened, of any other, and while one too many are open. */
const [WORKED_MS, UNUSED_MS, CROWDED_MS] = [600_000, 60_000, 2_000];
/** Sessions that may be open without those going that are least in use, and that may be before one goes that has something to lose. */
const [MOST_OPEN, MOST_REMEMBERING] = [500, 4_000];
/** How many are looked at for each one that is opened. */
const LOOKS = 8;

/** @param open how many sessions are */
export function canLeave(session: Session, { open, now }: { open: number; now: number }): boolean {
  if (session.sockets > 0 || session.log.hasReaders || session.closed || !session.asleep) return false;
  const idleMs = now - session.usedAt;
  // Between two turns of an agent lies an answer of its model.
  if (session.child !== undefined) return idleMs > WORKED_MS;
  if (session.place.files.remembersAny()) return idleMs > (open > MOST_REMEMBERING ? (UNUSED_MS * MOST_REMEMBERING) / open : WORKED_MS);
  // The more there are, the sooner: memory is bounded also where they come faster than they rest.
  if (open > MOST_OPEN) return idleMs > (CROWDED_MS * MOST_OPEN) / open;
  return idleMs > (session.version > 0 ? WORKED_MS : UNUSED_MS);
}

/** Of those that were used longest ago, the ones that make room now that another was opened. @param open least recently used first */
export function makeRoom(open: ReadonlyMap<string, Session>): Session[] {
  if (open.size <= MOST_OPEN) return [];
  const now = Date.now();
  return open
    .values()
    .take(LOOKS)
    .filter((session) => canLeave(session, { open: open.size, now }))
    .toArray();
}
