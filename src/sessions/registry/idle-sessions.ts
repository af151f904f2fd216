// Which sessions leave memory. The store keeps them, and whoever asks opens them again; what a session remembers beside that,
// such as which files its model has read, goes with it, so one that has worked stays for longer.
import type { Session } from '../session.ts';

/** Milliseconds without anybody who asks: of a session that has done something since it was opened, of any other, and while one too many are open. */
const [WORKED_MS, UNUSED_MS, CROWDED_MS] = [600_000, 60_000, 5_000];
/** Sessions that may be open without those going that are least in use. */
const MOST_OPEN = 500;
/** How many are looked at for each one that is opened. */
const LOOKS = 8;

/** @param open how many sessions are */
export function canLeave(session: Session, { open, now }: { open: number; now: number }): boolean {
  if (session.sockets > 0 || session.log.hasReaders || session.closed || !session.asleep) return false;
  const idleMs = now - session.usedAt;
  // Between two turns of an agent lies an answer of its model.
  if (session.child !== undefined) return idleMs > WORKED_MS;
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
