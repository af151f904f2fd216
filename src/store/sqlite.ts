// One file, one connection, one process. Writes queue up for a shared transaction (group-commit.ts), in the order in which they
// were asked for; reads run at once and see what is written.
import type { DatabaseSync } from 'node:sqlite';
import { Problem, type Commit, type Store } from '../contract/index.ts';
import { groupCommit, type Transaction } from './group-commit.ts';
import { callTable } from './sqlite-calls.ts';
import { storeError } from './sqlite-errors.ts';
import { eventTable } from './sqlite-events.ts';
import { openStoreFile } from './sqlite-file.ts';
import { idempotencyTable } from './sqlite-idempotency.ts';
import { SCHEMA_VERSION } from './sqlite-schema.ts';
import { sessionTable } from './sqlite-sessions.ts';
import { turnTable } from './sqlite-turns.ts';

/**
 * The store of one node: an SQLite file (WAL, synchronous NORMAL), made with its directory when it is not there.
 *
 * A write that has resolved survives the end of the process, `kill -9` included; a power failure may take the last moments with
 * it, never the order or a part of a commit. The process holds the file's lock until it closes the store or is gone: a second
 * opener is refused, be it this service or the `sqlite3` shell.
 *
 * Outages of the file or disk reject with Problem `store-unavailable`, and so does every call after `close`.
 * @throws Error when the file is in use, damaged, not ours, of a newer version, or cannot be written; it says what to change.
 */
export function openSqliteStore({ file }: { file: string }): Store {
  const db = openStoreFile(file);
  const tables = openTables(db);
  const transaction = sqliteTransaction(db);
  const group = groupCommit((work) => orStoreError(() => transaction(work)));

  const read = async <T>(work: () => T): Promise<T> => orStoreError(() => whileOpen(db, work));
  const write = async <T>(work: () => T): Promise<T> => whileOpen(db, () => group.run(work));
  const { sessions, turns, calls, events, idempotency } = tables;

  return {
    commit: (commit) => write(() => applyCommit(tables, commit)),

    session: (id) => read(() => sessions.get(id)),
    sessions: (query) => read(() => sessions.page(query)),
    countSessions: (owner) => read(() => sessions.count(owner)),
    expired: (now, limit) => read(() => sessions.expired(now, limit)),
    removeSession: (id) =>
      write(() => {
        events.remove(id);
        sessions.remove(id);
      }),

    turn: (sessionId, turnId) => read(() => turns.get(sessionId, turnId)),
    latestTurn: (sessionId) => read(() => turns.latest(sessionId)),
    openTurns: (sessionId) => read(() => turns.open(sessionId)),
    sessionsWithOpenTurns: (limit) => read(() => turns.sessionsWithOpen(limit)),
    turns: (query) => read(() => turns.page(query)),

    calls: (sessionId, turnId) => read(() => calls.ofTurn(sessionId, turnId)),
    usedIds: (sessionId, toolUseIds) => read(() => calls.used(sessionId, toolUseIds)),

    events: (query) => read(() => events.after(query)),
    range: (sessionId) => read(() => events.range(sessionId)),
    trim: (sessionId, below) =>
      write(() => {
        events.trim(sessionId, below.seq);
        turns.trim(sessionId, below.ordinal);
      }),

    idempotency: (owner, key) => read(() => idempotency.get(owner, key)),
    remember: (owner, key, record) => write(() => idempotency.put(owner, key, record)),

    // Reading would be answered from memory: only a write shows that the disk still takes one.
    ping: () => write(() => db.exec(`pragma user_version = ${SCHEMA_VERSION}`)),
    async close() {
      if (!db.isOpen) return;
      group.flush();
      db.close();
    },
  };
}

type Tables = ReturnType<typeof openTables>;

function openTables(db: DatabaseSync) {
  return {
    sessions: sessionTable(db),
    turns: turnTable(db),
    calls: callTable(db),
    events: eventTable(db),
    idempotency: idempotencyTable(db),
  };
}

/** Rows go in before the rows that refer to them. */
function applyCommit(tables: Tables, commit: Commit): void {
  const { sessionId, session, turn } = commit;
  for (const named of [session?.id, turn?.sessionId]) {
    if (named !== undefined && named !== sessionId) throw new Error(`A commit of session ${sessionId} holds a row of session ${named}.`);
  }
  if (session) tables.sessions.put(session);
  tables.events.append(sessionId, commit.events ?? []);
  if (turn) tables.turns.put(turn);
  for (const call of commit.calls ?? []) tables.calls.put(sessionId, call);
}

function sqliteTransaction(db: DatabaseSync): Transaction {
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

function whileOpen<T>(db: DatabaseSync, work: () => T): T {
  if (!db.isOpen) throw new Problem('store-unavailable', 'The store is closed: the service is stopping.', { retryAfterSeconds: 1 });
  return work();
}

function orStoreError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeError(error);
  }
}
