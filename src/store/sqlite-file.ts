// Opening a store file: make it, take its lock, see that it is ours, bring it up to date. Any failure closes it again.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openError } from './sqlite-errors.ts';
import { assertOurs, migrate } from './sqlite-schema.ts';

/** Milliseconds that opening waits for a process that is just going. */
const LOCK_WAIT_MS = 1_000;
/** Bytes that the write-ahead log is cut back to after a huge commit. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024;
/** Pages of 4 KiB that the write-ahead log grows by before it is folded into the file: each time holds the event loop for some milliseconds. */
const CHECKPOINT_PAGES = 8_000;

/** KiB of pages kept in memory: what a transaction changes must fit, or SQLite writes it twice. */
const CACHE_KIB = 16_384;

/** Opens a store file for this process alone. @throws Error that names the file and says what to change */
export function openStoreFile(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    makeFile(file);
    db = new DatabaseSync(file, { timeout: LOCK_WAIT_MS, enableForeignKeyConstraints: true });
    // In exclusive mode the first transaction's lock stays until the file is closed or the process is gone, however it ends.
    db.exec('pragma locking_mode = exclusive; begin exclusive; commit');
    assertOurs(db);
    db.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma journal_size_limit = ${WAL_KEPT_BYTES};
      pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${CACHE_KIB}`);
    migrate(db);
    return db;
  } catch (error) {
    db?.close();
    throw openError(file, error);
  }
}

/** Makes an empty file that only this user can read. One that is there is not touched: closing it would drop SQLite's locks on it. */
function makeFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
