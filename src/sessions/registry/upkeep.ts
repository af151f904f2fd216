// What the sessions of a node need again and again, unasked: turns that nobody works on go on, what is over is removed, and
// what is not in use leaves memory.
import { Problem } from '../../contract/index.ts';
import { canLeave } from './idle-sessions.ts';
import { EventLog } from '../log/event-log.ts';
import { isLeftOver } from './one-shot-session.ts';
import { endOpenTurns } from '../recovery/recover.ts';
import type { Session } from '../session.ts';
import type { SessionParts } from '../session-parts.ts';
import { isElsewhere, takeLease } from '../recovery/take-lease.ts';

const EXPIRED_A_SWEEP = 200;
/** More are recovered when somebody asks for them. */
const RECOVERED_AT_ONCE = 10_000;

/** Sessions as whoever keeps them up has them. */
export interface Kept {
  readonly parts: SessionParts;
  readonly open: ReadonlyMap<string, Session>;
  draining(): boolean;
  /** Opens a session, which goes on with its turns; `null` when there is none. */
  load(id: string): Promise<Session | null>;
  /** Removes a session, whatever of it is still there. */
  discard(id: string, reason: string): Promise<void>;
  /** Lets a session go from memory. Never throws. */
  rest(session: Session, reason: string): Promise<void>;
}

/** Goes on with turns that nobody works on; a session that cannot be opened keeps no other from it. @throws Problem `store-unavailable` */
export async function takeOver(kept: Kept): Promise<void> {
  const { store, report } = kept.parts;
  for (const id of await store.sessionsWithOpenTurns(RECOVERED_AT_ONCE)) {
    if (kept.draining()) return;
    const open = kept.open.get(id);
    // One whose lease or log was lost is open in name only.
    if (open?.closed === false && !open.broken) continue;
    try {
      await recover(kept, id);
    } catch (error) {
      if (kept.draining()) return;
      if (!isElsewhere(error)) report(`session ${id} could not be recovered`, error);
    }
  }
}

/** A session that was made for one message goes. */
async function recover(kept: Kept, id: string): Promise<void> {
  const row = await kept.parts.store.session(id);
  if (kept.draining()) return;
  if (row !== null && isLeftOver(row)) await kept.discard(id, 'The service was restarted.');
  else {
    await kept.load(id).catch((error: unknown) => {
      if (mayPass(error)) throw error;
      return endTurns(kept.parts, id);
    });
  }
}

/** What keeps a session from being opened now alone: another node has it, the store is away, the service ends. */
function mayPass(error: unknown): boolean {
  return error instanceof Problem && error.retryAfterSeconds !== undefined;
}

/** For a session that cannot be opened, such as one whose directory is gone. */
async function endTurns({ store, leases, limits }: SessionParts, id: string): Promise<void> {
  const log = new EventLog({ lease: await takeLease(leases, id), store, limits: limits.log, range: await store.range(id) });
  try {
    await endOpenTurns(id, log, store);
  } finally {
    await log.release();
  }
}

/** Removes sessions whose time is over, and lets idle ones go from memory. @throws Problem `store-unavailable` */
export async function sweep(kept: Kept, now: number): Promise<void> {
  const { open, parts } = kept;
  for (const id of await parts.store.expired(now, EXPIRED_A_SWEEP)) {
    const session = open.get(id);
    if (session !== undefined && (session.busy || session.expiresAt > now)) continue;
    await kept.discard(id, 'The session has expired.').catch((error: unknown) => {
      if (!isElsewhere(error)) parts.report(`session ${id} could not be removed`, error);
    });
  }
  for (const session of open.values()) {
    if (canLeave(session, { open: open.size, now })) await kept.rest(session, 'The session is not in use.');
  }
}
