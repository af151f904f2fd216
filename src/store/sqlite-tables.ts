import type { DatabaseSync } from 'node:sqlite';
import { callTable } from './sqlite-calls.ts';
import { eventTable } from './sqlite-events.ts';
import { idempotencyTable } from './sqlite-idempotency.ts';
import { positionTable } from './sqlite-position.ts';
import { sessionTable } from './sqlite-sessions.ts';
import { turnTable } from './sqlite-turns.ts';

export type Tables = ReturnType<typeof openTables>;

/** The tables of an open store file. */
export function openTables(db: DatabaseSync) {
  const [sessions, events] = [sessionTable(db), eventTable(db)];
  return {
    sessions,
    turns: turnTable(db),
    calls: callTable(db),
    events,
    /** Takes a session away, with its turns, calls and events. */
    removeSession(id: string): void {
      events.remove(id);
      sessions.remove(id);
    },
    idempotency: idempotencyTable(db),
    position: positionTable(db),
  };
}

/** Runs `work` in one transaction: all of it is written, or it throws and nothing is. */
export type Transaction = <T>(work: () => T) => T;

export function sqliteTransaction(db: DatabaseSync): Transaction {
  const [begin, commit, rollback] = [db.prepare('begin immediate'), db.prepare('commit'), db.prepare('rollback')];
  return (work) => {
    begin.run();
    try {
      const value = work();
      commit.run();
      return value;
    } catch (error) {
      // After some failures, a full disk for one, SQLite has rolled back by itself.
      if (db.isTransaction) rollback.run();
      throw error;
    }
  };
}
