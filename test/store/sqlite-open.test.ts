import assert from 'node:assert/strict';
import { mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { SCHEMA_VERSION } from '../../src/store/sqlite-schema.ts';
import { eventRows, everythingOf, sessionRow, turnRow } from './rows.ts';
import { openUntilEnd, rowCounts, storeFile, withDatabase } from './sqlite-files.ts';

describe('SQLite store file', () => {
  test('is made with its directories, readable by its user alone', async (t) => {
    const file = join(dirname(await storeFile(t)), 'a', 'b', 'store.sqlite');
    const store = await openUntilEnd(t, file);
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
    for (const path of [file, `${file}-wal`, `${file}-commits`]) assert.equal((await stat(path)).mode & 0o077, 0, path);
    assert.equal((await stat(dirname(file))).mode & 0o077, 0);
  });

  test('an empty file, left by a start that was cut short, becomes a store', async (t) => {
    const file = await storeFile(t);
    await writeFile(file, '');
    const store = await openUntilEnd(t, file);
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
    assert.deepEqual(await store.session('ses_a'), sessionRow('ses_a'));
  });

  test('a second opener in the same process is refused, and the first works on', async (t) => {
    const file = await storeFile(t);
    const store = await openUntilEnd(t, file);
    await assert.rejects(openSqliteStore({ file }), isRefusal(file, /in use by another process/));
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
    await store.close();
    assert.deepEqual(await (await openUntilEnd(t, file)).session('ses_a'), sessionRow('ses_a'));
  });

  test('a file of an older version keeps all that is in it', async (t) => {
    const file = await storeFile(t);
    const older = await openSqliteStore({ file });
    await older.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), turn: turnRow('ses_a', 1), events: eventRows(1, 3) });
    const before = await everythingOf(older, 'ses_a');
    await older.close();
    withDatabase(file, (db) =>
      db.exec(`drop index sessions_newest; alter table sessions add column closed integer not null default 0;
        create index sessions_newest on sessions (owner, created_at desc, id desc) where closed = 0; pragma user_version = 2`),
    );
    const store = await openUntilEnd(t, file);
    assert.deepEqual(await everythingOf(store, 'ses_a'), before);
    await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b') });
    assert.equal(await store.countSessions('anna'), 2);
  });

  test('a file of a newer version is refused and not touched', async (t) => {
    const file = await storeFile(t);
    await (await openSqliteStore({ file })).close();
    withDatabase(file, (db) => db.exec(`pragma user_version = ${SCHEMA_VERSION + 1}`));
    const before = await readFile(file);
    await assert.rejects(openSqliteStore({ file }), isRefusal(file, new RegExp(`version ${SCHEMA_VERSION + 1}, .*newer`)));
    assert.deepEqual(await readFile(file), before);
  });

  test("another program's database is refused and not touched", async (t) => {
    const file = await storeFile(t);
    withDatabase(file, (db) => db.exec("create table sessions (id text); insert into sessions values ('precious')"));
    const before = await readFile(file);
    await assert.rejects(openSqliteStore({ file }), isRefusal(file, /another program/));
    assert.deepEqual(await readFile(file), before);
  });

  test('a file that is not a database, or cut short, is refused with what to do', async (t) => {
    const file = await storeFile(t);
    await writeFile(file, 'not a database, but long enough to be taken for one. '.repeat(100));
    await assert.rejects(openSqliteStore({ file }), isRefusal(file, /damaged or not a database.*backup/));

    const cut = `${file}-cut`;
    const store = await openSqliteStore({ file: cut });
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 1_000) });
    await store.close();
    await truncate(cut, 5_000);
    await assert.rejects(openSqliteStore({ file: cut }), isRefusal(cut, /damaged or not a database.*backup/));
  });

  test('a path that cannot hold a file is refused with what to check', async (t) => {
    const file = await storeFile(t);
    await mkdir(file);
    await assert.rejects(openSqliteStore({ file }), isRefusal(file, /cannot be opened.*check its directory/));
    await writeFile(`${file}-plain`, '');
    const below = join(`${file}-plain`, 'store.sqlite');
    await assert.rejects(openSqliteStore({ file: below }), isRefusal(below, /cannot be opened.*check its directory/));
  });

  test('a refused file is let go, so that it can be opened once it is right', async (t) => {
    const file = await storeFile(t);
    await (await openSqliteStore({ file })).close();
    withDatabase(file, (db) => db.exec(`pragma user_version = ${SCHEMA_VERSION + 1}`));
    await assert.rejects(openSqliteStore({ file }));
    withDatabase(file, (db) => db.exec(`pragma user_version = ${SCHEMA_VERSION}`));
    await (await openUntilEnd(t, file)).ping();
  });

  test('a removed session leaves no row in any table', async (t) => {
    const file = await storeFile(t);
    const store = await openUntilEnd(t, file);
    const turn = { sessionId: 'ses_a', id: 'turn_1', ordinal: 1, open: true, document: '{}' };
    const call = {
      turnId: 'turn_1',
      toolUseId: 'toolu_1',
      index: 0,
      name: 'Read',
      input: '{}',
      result: { outcome: 'ok', isError: false, content: '', view: { title: 'Read' } },
    } as const;
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), turn, calls: [call], events: eventRows(1, 3) });
    await store.removeSession('ses_a');
    await store.close();
    assert.deepEqual(rowCounts(file), { sessions: 0, turns: 0, calls: 0, events: 0, idempotency: 0, position: 1 });
  });

  test('replies whose time is over leave the file when others come', async (t) => {
    const file = await storeFile(t);
    const store = await openUntilEnd(t, file);
    const reply = { digest: 'd', status: 201, body: '{}', headers: {} };
    await Promise.all(Array.from({ length: 30 }, (_, n) => store.remember('anna', `old ${n}`, { ...reply, expiresAt: 1 })));
    await store.remember('anna', 'new', { ...reply, expiresAt: Date.UTC(2100, 0) });
    await store.close();
    assert.equal(rowCounts(file)['idempotency'], 1);
  });
});

/** An error that names the file and gives this reason. */
function isRefusal(file: string, reason: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof Error && error.message.includes(file) && reason.test(error.message);
}
