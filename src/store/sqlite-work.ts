// All that is ever done with an open store file, each a function on plain data: what is asked of it from another thread.
import type { DatabaseSync } from 'node:sqlite';
import { applyBatch, type Batch } from './pending.ts';
import { readView } from './session-view.ts';
import { openTables, sqliteTransaction } from './sqlite-tables.ts';

export type SqliteWork = ReturnType<typeof sqliteWork>;

/** Every function throws errors of SQLite; those that write do all of it, or nothing. */
export function sqliteWork(db: DatabaseSync) {
  const tables = openTables(db);
  const transaction = sqliteTransaction(db);
  const { sessions, turns, calls, events, idempotency, position } = tables;

  /** Writes, and notes with it how far the tables have come. */
  const writeUpTo = (at: number, work: () => void): void =>
    transaction(() => {
      work();
      position.set(at);
    });

  return {
    position: position.get,
    /** Brings what the journal has into the tables, which then are at this position. */
    apply: (batch: Batch, at: number): void => writeUpTo(at, () => applyBatch(tables, batch)),
    trim: (sessionId: string, below: { seq: number; ordinal: number }, at: number): void =>
      writeUpTo(at, () => {
        events.trim(sessionId, below.seq);
        turns.trim(sessionId, below.ordinal);
      }),
    /** Writes without a change: reading would be answered from memory, and only a write shows that the disk still takes one. */
    touch: (): void => transaction(() => position.set(position.get())),
    /** Syncs what the tables have to the disk. */
    checkpoint: (): void => db.exec('pragma wal_checkpoint(truncate)'),

    view: (sessionId: string) => readView(tables, sessionId),
    session: sessions.get,
    sessions: sessions.page,
    countSessions: sessions.count,
    expired: sessions.expired,

    turn: turns.get,
    latestTurn: turns.latest,
    openTurns: turns.open,
    sessionsWithOpenTurns: turns.sessionsWithOpen,
    turns: turns.page,

    calls: calls.ofTurn,
    /** Which of these ids, given as JSON, calls of the session have. */
    usedIds: (sessionId: string, ids: readonly string[]): string[] => ids.filter((id) => calls.has(sessionId, id)),

    events: events.after,
    range: events.range,
    reply: idempotency.get,

    close: (): void => db.close(),
  };
}
