// The journal while the tables behind it cannot be written: it takes the writes, says so once, and loses nothing.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '../../src/store/journal.ts';
import { openStoreFile } from '../../src/store/sqlite-file.ts';
import { openTables, sqliteTransaction } from '../../src/store/sqlite-tables.ts';
import { storedCommit } from '../../src/store/stored-write.ts';
import { eventRow, eventRows, sessionRow } from './rows.ts';
import { storeFile } from './sqlite-files.ts';

/** A journal over real tables; while `failing` is true no transaction comes to its end. */
async function begin(t: TestContext) {
  const file = await storeFile(t);
  const path = `${file}-commits`;
  const db = openStoreFile(file);
  t.after(() => db.close());
  const tables = openTables(db);
  const plain = sqliteTransaction(db);
  const state = { failing: false, tries: 0, told: [] as string[] };
  const open = (): Journal =>
    new Journal({
      path,
      tables,
      checkpoint: () => {},
      warn: (message) => state.told.push(message),
      transaction: (work) => {
        state.tries += 1;
        if (state.failing) throw new Error('the disk is full');
        return plain(work);
      },
    });
  const journal = open();
  journal.append(storedCommit({ sessionId: 'ses_a', session: sessionRow('ses_a') }), true);
  journal.settle();
  const commit = (seq: number, data?: string): void => journal.append(storedCommit({ sessionId: 'ses_a', events: [eventRow(seq, data)] }));
  const kept = (after = 0) => tables.events.after({ sessionId: 'ses_a', after, limit: 1_000 });
  return { state, journal, commit, kept, open, path };
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn += 1) {
    assert.ok(turn < 3_000, 'What the test waits for did not happen.');
    await sleep(10);
  }
}

describe('a journal', () => {
  test('brings what it has into the tables although nobody reads it', async (t) => {
    const { journal, commit, kept } = await begin(t);
    commit(1);
    assert.ok(journal.pending.bytes > 0 && kept().length === 0);
    await until(() => journal.pending.bytes === 0);
    assert.deepEqual(kept(), eventRows(1, 1));
    for (let seq = 2; seq <= 600; seq += 1) commit(seq);
    await until(() => journal.pending.bytes === 0);
    assert.deepEqual(kept(), eventRows(1, 600));
    journal.close();
  });

  test('says once that the tables cannot be written, tries again, and has them all in the end', async (t) => {
    const { state, journal, commit, kept } = await begin(t);
    state.failing = true;
    const before = state.tries;
    commit(1);
    await until(() => state.tries >= before + 2);
    commit(2);
    await until(() => state.tries >= before + 3);
    assert.equal(state.told.length, 1);
    assert.match(state.told[0] ?? '', /cannot be written .*the disk is full.*its journal takes the writes for now/);
    assert.deepEqual(kept(), []);
    state.failing = false;
    await until(() => journal.pending.bytes === 0);
    assert.deepEqual(kept(), eventRows(1, 2));
    state.failing = true;
    commit(3);
    await until(() => state.told.length === 2);
    state.failing = false;
    journal.close();
    assert.deepEqual(kept(), eventRows(1, 3));
  });

  test('that is closed over tables which cannot be written stays for the next start, which is said', async (t) => {
    const { state, journal, commit, kept, open, path } = await begin(t);
    commit(1);
    state.failing = true;
    journal.close();
    assert.match(state.told.join(), /The next start reads them from .*-commits: keep it\./);
    assert.ok(existsSync(path));
    assert.throws(open, /the disk is full/);
    state.failing = false;
    const next = open();
    assert.deepEqual(kept(), eventRows(1, 1));
    next.close();
    assert.equal(existsSync(path), false);
  });

  test('refuses a write that would have to wait for tables which cannot be written, once much is waiting', async (t) => {
    const { state, journal, commit, kept } = await begin(t);
    state.failing = true;
    let taken = 0;
    assert.throws(() => {
      for (; taken < 10_000; taken += 1) commit(taken + 1, 'x'.repeat(20_000));
    }, /the disk is full/);
    assert.ok(taken > 100 && taken < 2_000, `${taken} writes of 20 kB were taken`);
    state.failing = false;
    commit(taken + 1);
    journal.close();
    assert.deepEqual(kept(taken), eventRows(taken + 1, 1));
  });
});
