// One file, one process, a thread that has the file (sqlite-thread.ts), and a journal in front of it (journal.ts): commits are safe
// there, and come into the tables a moment later. A read first brings in what it could miss, or finds it among what is pending.
import { z } from 'zod';
import { inSequence, type Store } from '../contract/index.ts';
import { openSqliteThread } from './ask-sqlite.ts';
import { decodeCursor, page } from './cursor.ts';
import { gathering } from './gather.ts';
import { Journal, type JournalTables } from './journal.ts';
import { localClaims } from './local-claims.ts';
import { closedError } from './outages.ts';
import { openError, storeError } from './sqlite-errors.ts';
import { callRow } from './stored-write.ts';
import { untilClosed } from './until-closed.ts';
import { openWrites } from './writes.ts';

const SESSIONS_CURSOR = z.tuple([z.int(), z.string()]);
/** Sorts before every session. */
const FIRST_SESSION: z.infer<typeof SESSIONS_CURSOR> = [Number.MAX_SAFE_INTEGER, ''];
const TURNS_CURSOR = z.tuple([z.int()]);
/** Sorts before every turn. */
const FIRST_TURN: z.infer<typeof TURNS_CURSOR> = [Number.MAX_SAFE_INTEGER];

export interface SqliteStoreOptions {
  readonly file: string;
  /** Told, in a sentence, of what a person should know and no caller is told; `process.emitWarning` by default. */
  readonly warn?: (message: string) => void;
}

/**
 * The store of one node: an SQLite file (WAL, synchronous NORMAL) and, while it is open, its journal beside it (`-commits` and
 * `-commits-2`).
 *
 * A write that has resolved survives the end of the process, `kill -9` included; a power failure may take the last moments with
 * it, never the order or a part of a commit. The process holds the file's lock until it closes the store or is gone: a second
 * opener is refused, be it this service or the `sqlite3` shell.
 *
 * Outages of the file or disk reject with Problem `store-unavailable`, and so does every call after `close`.
 * @throws Error when the file is in use, damaged, not ours, of a newer version, or cannot be written; it says what to change.
 */
export async function openSqliteStore({ file, warn = (message) => process.emitWarning(message) }: SqliteStoreOptions): Promise<Store> {
  const { ask, position, close } = await openSqliteThread(file);
  const journal = await openJournal();
  const writes = openWrites(journal, ask);
  let open = true;

  /** Every use of the store: refused once it is closed, and an outage has its own name. */
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!open) throw closedError();
    try {
      return await work();
    } catch (error) {
      throw storeError(error);
    }
  };
  const { run: written, end } = untilClosed();
  const gathered = gathering(inSequence(), (commit) => run(() => writes.commit(commit)));
  /** Reads what one session has, or what all have. */
  const read = <T>(work: () => Promise<T>, sessionId?: string): Promise<T> =>
    run(async () => {
      await journal.settle(sessionId);
      return work();
    });

  const remember: Store['remember'] = (owner, key, record) => run(() => writes.remember(owner, key, record));
  const claim = localClaims({ reply: writes.reply, remember });

  async function openJournal(): Promise<Journal> {
    try {
      const tables: JournalTables = { position, apply: (batch, at) => ask('apply', batch, at), checkpoint: () => ask('checkpoint') };
      return await Journal.open({ paths: [`${file}-commits`, `${file}-commits-2`], tables, warn });
    } catch (error) {
      await close();
      throw openError(file, error);
    }
  }

  return {
    commit: (commit) => written(() => gathered.commit(commit)),

    session: (id) => read(() => ask('session', id), id),
    sessions: ({ owner, limit, cursor }) =>
      run(async () => {
        const after = cursor === undefined ? FIRST_SESSION : decodeCursor(cursor, SESSIONS_CURSOR);
        await journal.settle();
        return page(await ask('sessions', owner, after, limit + 1), limit, (last) => [last.createdAt, last.id]);
      }),
    countSessions: (owner) => run(() => writes.countSessions(owner)),
    expired: (now, limit) => read(() => ask('expired', now, limit)),
    removeSession: (id) => written(() => gathered.between(id, () => run(() => writes.removeSession(id)))),

    turn: (sessionId, turnId) => read(() => ask('turn', sessionId, turnId), sessionId),
    latestTurn: (sessionId) => read(() => ask('latestTurn', sessionId), sessionId),
    openTurns: (sessionId) => read(() => ask('openTurns', sessionId), sessionId),
    sessionsWithOpenTurns: (limit) => read(() => ask('sessionsWithOpenTurns', limit)),
    turns: ({ sessionId, limit, cursor }) =>
      run(async () => {
        const [ordinal] = cursor === undefined ? FIRST_TURN : decodeCursor(cursor, TURNS_CURSOR);
        await journal.settle(sessionId);
        return page(await ask('turns', sessionId, ordinal, limit + 1), limit, (last) => [last.ordinal]);
      }),

    calls: (sessionId, turnId) => read(async () => (await ask('calls', sessionId, turnId)).map(callRow), sessionId),
    usedIds: (sessionId, toolUseIds) => run(() => writes.usedIds(sessionId, toolUseIds)),

    events: (query) => run(() => writes.events(query)),
    range: (sessionId) => read(() => ask('range', sessionId), sessionId),
    trim: (sessionId, below) => written(() => gathered.between(sessionId, () => run(() => writes.trim(sessionId, below)))),

    claim: (owner, key) => run(() => claim(owner, key)),
    idempotency: (owner, key) => run(() => writes.reply(owner, key)),
    remember,

    ping: () => read(() => ask('touch')),
    async close() {
      await end();
      if (!open) return;
      open = false;
      try {
        await journal.close();
      } finally {
        await close();
      }
    },
  };
}
