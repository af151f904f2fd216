// The journal while the tables behind it are slow or cannot be written: it takes the writes, says so once, and loses nothing.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '../../src/store/journal.ts';
import { openStoreFile } from '../../src/store/sqlite-file.ts';
import { sqliteWork } from '../../src/store/sqlite-work.ts';
import { storedCommit } from '../../src/store/stored-write.ts';
import { eventRow, eventRows, sessionRow } from './rows.ts';
import { copyStore, openUntilEnd, storeFile } from './sqlite-files.ts';

/** A journal over real tables. While `failing` is true they take nothing; while `held` is set they take their time. */
async function begin(t: TestContext) {
  const file = await storeFile(t);
  const paths = [`${file}-commits`, `${file}-commits-2`] as const;
  const db = openStoreFile(file);
  t.after(() => db.close());
  const work = sqliteWork(db);
  const state = { failing: false, held: undefined as Promise<void> | undefined, tries: 0, told: [] as string[] };
  const open = (): Promise<Journal> =>
    Journal.open({
      paths,
      warn: (message) => state.told.push(message),
      tables: {
        position: work.position(),
        checkpoint: async () => {},
        apply: async (batch, position) => {
          state.tries += 1;
          await state.held;
          if (state.failing) throw new Error('the disk is full');
          work.apply(batch, position);
        },
      },
    });
  const journal = await open();
  journal.append(storedCommit({ sessionId: 'ses_a', session: sessionRow('ses_a') }), true);
  await journal.settle();
  const commit = (seq: number, data?: string): void => journal.append(storedCommit({ sessionId: 'ses_a', events: [eventRow(seq, data)] }));
  const kept = (after = 0) => work.events({ sessionId: 'ses_a', after, limit: 1_000 });
  const waiting = (): number => journal.pending.reduce((sum, { bytes }) => sum + bytes, 0);
  return { state, journal, commit, kept, open, file, paths, waiting, work };
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn += 1) {
    assert.ok(turn < 3_000, 'What the test waits for did not happen.');
    await sleep(10);
  }
}

describe('a journal', () => {
  test('brings what it has into the tables although nobody reads it', async (t) => {
    const { journal, commit, kept, waiting } = await begin(t);
    commit(1);
    assert.ok(waiting() > 0 && kept().length === 0);
    await until(() => waiting() === 0);
    assert.deepEqual(kept(), eventRows(1, 1));
    for (let seq = 2; seq <= 600; seq += 1) commit(seq);
    await until(() => waiting() === 0);
    assert.deepEqual(kept(), eventRows(1, 600));
    await journal.close();
  });

  test('takes writes while the tables are at those before, and a kill then loses neither', async (t) => {
    const { state, journal, commit, kept, file } = await begin(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    commit(1);
    const settled = journal.settle();
    commit(2);
    assert.equal(journal.pending.length, 2);
    const copy = await storeFile(t);
    copyStore(file, copy);
    assert.deepEqual(await (await openUntilEnd(t, copy)).events({ sessionId: 'ses_a', after: 0, limit: 10 }), eventRows(1, 2));
    resolve();
    await settled;
    await journal.close();
    assert.deepEqual(kept(), eventRows(1, 2));
  });

  test('has in the tables what was written before somebody reads, and need not what came after', async (t) => {
    const { state, journal, commit, kept } = await begin(t);
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    commit(1);
    const first = journal.settle('ses_a');
    commit(2);
    const second = journal.settle('ses_a');
    await journal.settle('ses_other');
    resolve();
    await first;
    assert.ok(kept().length >= 1);
    await second;
    assert.deepEqual(kept(), eventRows(1, 2));
    await journal.close();
  });

  test('says once that the tables cannot be written, tries again, and has them all in the end', async (t) => {
    const { state, journal, commit, kept, waiting } = await begin(t);
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
    await until(() => waiting() === 0);
    assert.deepEqual(kept(), eventRows(1, 2));
    state.failing = true;
    commit(3);
    await until(() => state.told.length === 2);
    state.failing = false;
    await journal.close();
    assert.deepEqual(kept(), eventRows(1, 3));
  });

  test('that is closed over tables which cannot be written stays for the next start, which is said', async (t) => {
    const { state, journal, commit, kept, open, paths } = await begin(t);
    commit(1);
    state.failing = true;
    await journal.close();
    assert.match(state.told.join(), /The next start reads them from .*-commits and .*-commits-2: keep them\./);
    assert.ok(paths.every((path) => existsSync(path)));
    await assert.rejects(open, /the disk is full/);
    state.failing = false;
    const next = await open();
    assert.deepEqual(kept(), eventRows(1, 1));
    await next.close();
    assert.ok(!paths.some((path) => existsSync(path)));
  });

  test('has no room for a write that would have to wait for tables which cannot be written, once much is waiting', async (t) => {
    const { state, journal, commit, kept } = await begin(t);
    state.failing = true;
    let taken = 0;
    for (; journal.hasRoom; taken += 1) commit(taken + 1, 'x'.repeat(20_000));
    await assert.rejects(async () => {
      while (!journal.hasRoom) await journal.room();
      for (; journal.hasRoom; taken += 1) commit(taken + 1, 'x'.repeat(20_000));
      while (!journal.hasRoom) await journal.room();
    }, /the disk is full/);
    assert.ok(taken > 100 && taken < 4_000, `${taken} writes of 20 kB were taken`);
    state.failing = false;
    while (!journal.hasRoom) await journal.room();
    commit(taken + 1);
    await journal.close();
    assert.deepEqual(kept(taken), eventRows(taken + 1, 1));
  });

  test('takes no record while something is written behind it, whose position comes between', async (t) => {
    const { state, journal, commit, kept, work } = await begin(t);
    commit(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const written = journal.alone(async (position) => {
      await promise;
      work.trim('ses_a', { seq: 1, ordinal: 0 }, position);
    });
    assert.equal(journal.hasRoom, false);
    const room = journal.room();
    await sleep(10);
    assert.deepEqual(kept(), eventRows(1, 1));
    resolve();
    await Promise.all([written, room]);
    assert.equal(journal.hasRoom, true);
    commit(2);
    await journal.close();
    assert.deepEqual(kept(), eventRows(1, 2));
    assert.equal(work.position(), 4);
    assert.deepEqual(state.told, []);
  });
});
