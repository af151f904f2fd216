// A session taken from the store: under a lease of its own it becomes what it was, and goes on with the turns that it had open.
import { EventLog } from '../log/event-log.ts';
import { endOpenTurns, resumeOpenTurns } from './recover.ts';
import { restoreSession, type Restoring } from './restore-session.ts';
import type { Session } from '../session.ts';
import { takeLease } from './take-lease.ts';

export interface Opening extends Restoring {
  /** True once the session is being removed. */
  readonly isRemoved: () => boolean;
}

/** @returns `null` when there is none. @throws Problem `session-elsewhere`, `forbidden`, `store-unavailable` */
export async function openSession(id: string, opening: Opening): Promise<Session | null> {
  const { store } = opening.parts;
  if ((await store.session(id)) === null) return null;
  const session = await restoreUnderLease(id, opening);
  if (session === null) return null;
  session.begin('resume');
  try {
    // Nobody is left who wants the calls of an agent that was interrupted.
    if (session.child === undefined) await resumeOpenTurns(session, store);
    else await endOpenTurns(id, session.log, store);
  } catch (error) {
    // Those that went on already go on with the others.
    await session.suspend('Its turns could not be read.');
    throw error;
  }
  return session;
}

async function restoreUnderLease(id: string, opening: Opening): Promise<Session | null> {
  const { store, leases, limits } = opening.parts;
  const lease = await takeLease(leases, id);
  try {
    // Another node may have worked on it until now.
    const row = await store.session(id);
    if (row === null || opening.isRemoved()) {
      await lease.release();
      return null;
    }
    const log = new EventLog({ lease, store, limits: limits.log, range: await store.range(id) });
    return await restoreSession(row, log, opening);
  } catch (error) {
    await lease.release();
    throw error;
  }
}
