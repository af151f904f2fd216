import { copyFileSync, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { Store } from '../../src/contract/index.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { OpenedStore } from './open-store.ts';

/** The path of a store file that is not there yet, in a directory that goes away with the test. */
export async function storeFile(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-store-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'store.sqlite');
}

/** Opens a store that is closed after the test. */
export async function openUntilEnd(t: TestContext, file: string): Promise<Store> {
  const store = await openSqliteStore({ file });
  t.after(() => store.close());
  return store;
}

/** A fresh SQLite store, as the suite wants it. */
export async function openSqlite(t: TestContext): Promise<OpenedStore> {
  const file = await storeFile(t);
  let store = await openUntilEnd(t, file);
  const reopen = async (): Promise<Store> => {
    await store.close();
    store = await openUntilEnd(t, file);
    return store;
  };
  return { store, reopen };
}

/** A store as a process leaves it that is killed: reopening finds the files as they are at that moment, and nothing was closed. */
export async function openCrashing(t: TestContext): Promise<OpenedStore> {
  let file = await storeFile(t);
  let store = await openUntilEnd(t, file);
  const reopen = async (): Promise<Store> => {
    const copy = await storeFile(t);
    copyStore(file, copy);
    await store.close();
    file = copy;
    store = await openUntilEnd(t, file);
    return store;
  };
  return { store, reopen };
}

/** Copies a store file with what lies beside it, in one moment. */
export function copyStore(file: string, copy: string): void {
  for (const suffix of ['', '-wal', '-commits', '-commits-2']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
  }
}

/** Lets `use` look into, or spoil, a file that no store holds. */
export function withDatabase<T>(file: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** Rows of each table of a store file. */
export function rowCounts(file: string): Record<string, unknown> {
  return withDatabase(file, (db) => {
    const names = db.prepare("select name from sqlite_schema where type = 'table'").all();
    return Object.fromEntries(
      names.map(({ name }) => [String(name), db.prepare(`select count(*) as rows from ${String(name)}`).get()?.['rows']]),
    );
  });
}
