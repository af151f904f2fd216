// One file, one connection, one process, and a journal in front of it (journal.ts): commits are safe there, and come into
// the tables a moment later. A read first brings in what it could miss, or finds it among what is pending.
import type { DatabaseSync } from 'node:sqlite';
import { inSequence, type Store } from '../contract/index.ts';
import { gathering } from './gather.ts';
import { Journal } from './journal.ts';
import { localClaims } from './local-claims.ts';
import { closedError } from './outages.ts';
import { openError, storeError } from './sqlite-errors.ts';
import { openStoreFile } from './sqlite-file.ts';
import { openTables, sqliteTransaction } from './sqlite-tables.ts';
import { callRow } from './stored-write.ts';
import { untilClosed } from './until-closed.ts';
import { openWrites } from './writes.ts';

export interface SqliteStoreOptions {
  readonly file: string;
  /** Told, in a sentence, of what a person should know and no caller is told; `process.emitWarning` by default. */
  readonly warn?: (message: string) => void;
}

/**
 * The store of one node: an SQLite file (WAL, synchronous NORMAL) and, while it is open, its journal beside it (`-commits`).
 *
 * A write that has resolved survives the end of the process, `kill -9` included; a power failure may take the last moments with
 * it, never the order or a part of a commit. The process holds the file's lock until it closes the store or is gone: a second
 * opener is refused, be it this service or the `sqlite3` shell.
 *
 * Outages of the file or disk reject with Problem `store-unavailable`, and so does every call after `close`.
 * @throws Error when the file is in use, damaged, not ours, of a newer version, or cannot be written; it says what to change.
 */
export function openSqliteStore({ file, warn = (message) => process.emitWarning(message) }: SqliteStoreOptions): Store {
  const db = openStoreFile(file);
  const tables = openTables(db);
  const journal = openJournal();
  const writes = openWrites(journal, tables);
  const { sessions, turns, calls, events } = tables;

  const run = async <T>(work: () => T): Promise<T> => whileOpen(db, work);
  const { run: written, end } = untilClosed();
  const gathered = gathering(inSequence(), (commit) => run(() => writes.commit(commit)));
  /** Reads what one session has, or what all have. */
  const read = <T>(work: () => T, sessionId?: string): Promise<T> =>
    run(() => {
      journal.settle(sessionId);
      return work();
    });

  const remember: Store['remember'] = (owner, key, record) => run(() => writes.remember(owner, key, record));
  const claim = localClaims({ reply: writes.reply, remember });

  function openJournal(): Journal {
    try {
      const checkpoint = (): void => db.exec('pragma wal_checkpoint(truncate)');
      return new Journal({ path: `${file}-commits`, tables, transaction: sqliteTransaction(db), checkpoint, warn });
    } catch (error) {
      db.close();
      throw openError(file, error);
    }
  }

  return {
    commit: (commit) => written(() => gathered.commit(commit)),

    session: (id) => read(() => sessions.get(id), id),
    sessions: (query) => read(() => sessions.page(query)),
    countSessions: (owner) => run(() => writes.countSessions(owner)),
    expired: (now, limit) => read(() => sessions.expired(now, limit)),
    removeSession: (id) => written(() => gathered.between(id, () => run(() => writes.removeSession(id)))),

    turn: (sessionId, turnId) => read(() => turns.get(sessionId, turnId), sessionId),
    latestTurn: (sessionId) => read(() => turns.latest(sessionId), sessionId),
    openTurns: (sessionId) => read(() => turns.open(sessionId), sessionId),
    sessionsWithOpenTurns: (limit) => read(() => turns.sessionsWithOpen(limit)),
    turns: (query) => read(() => turns.page(query), query.sessionId),

    calls: (sessionId, turnId) => read(() => calls.ofTurn(sessionId, turnId).map(callRow), sessionId),
    usedIds: (sessionId, toolUseIds) => run(() => writes.usedIds(sessionId, toolUseIds)),

    events: (query) => run(() => writes.events(query)),
    range: (sessionId) => read(() => events.range(sessionId), sessionId),
    trim: (sessionId, below) => written(() => gathered.between(sessionId, () => run(() => writes.trim(sessionId, below)))),

    claim: (owner, key) => run(() => claim(owner, key)),
    idempotency: (owner, key) => run(() => writes.reply(owner, key)),
    remember,

    // Reading would be answered from memory: only a write shows that the disk still takes one.
    ping: () => run(() => journal.write(() => {})),
    async close() {
      await end();
      if (!db.isOpen) return;
      try {
        journal.close();
      } finally {
        db.close();
      }
    },
  };
}

/** Every use of the store: refused once it is closed, and an outage has its own name. */
function whileOpen<T>(db: DatabaseSync, work: () => T): T {
  if (!db.isOpen) throw closedError();
  try {
    return work();
  } catch (error) {
    throw storeError(error);
  }
}
