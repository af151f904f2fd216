import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import type { Store } from '../../src/contract/index.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { callRow, eventRow, eventRows, everythingOf, sessionRow, turnId, turnRow } from './rows.ts';
import { copyStore, openUntilEnd, rowCounts, storeFile } from './sqlite-files.ts';

describe('SQLite store with its journal', () => {
  test('a commit is safe before the tables have it', async (t) => {
    const { file, store } = await begin(t);
    const copy = await killedAfter(t, file, () => commitEvents(store, 1, 3));
    assert.equal(rowCounts(copy)['events'], 0);
    const again = await killedAfter(t, file, () => commitEvents(store, 4, 1));
    assert.deepEqual(await events(await openUntilEnd(t, again)), eventRows(1, 4));
  });

  test('what the tables have already is not applied again from the journal', async (t) => {
    const { file, store } = await begin(t);
    await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1), calls: [callRow(1, 'toolu_1')], events: eventRows(1, 20) });
    await store.remember('anna', 'key', { digest: 'd', status: 201, body: '{}', headers: {}, expiresAt: Date.UTC(2100, 0) });
    const before = await everythingOf(store, 'ses_a');
    const copy = await killedAfter(t, file, () => store.trim('ses_a', { seq: 5, ordinal: 0 }));
    assert.ok(readFileSync(journalOf(copy)).includes('toolu_1'));
    const again = await openUntilEnd(t, copy);
    const range = { first: 5, last: 20 };
    assert.deepEqual(await everythingOf(again, 'ses_a'), { ...before, events: eventRows(5, 16), range });
    await commitEvents(again, 21, 1);
    assert.deepEqual(await again.range('ses_a'), { first: 5, last: 21 });
  });

  test('a journal that is written over from its start gives only what is new in it', async (t) => {
    const { file, store } = await begin(t);
    for (const [first, count] of [
      [1, 20],
      [21, 1],
      [22, 40],
      [62, 3],
    ] as const) {
      const copy = await openUntilEnd(t, await killedAfter(t, file, () => commitEvents(store, first, count)));
      assert.deepEqual(await events(copy), eventRows(1, first + count - 1));
      await store.ping();
    }
  });

  test('a session that was made and removed before the tables had it stays away', async (t) => {
    const { file, store } = await begin(t);
    const copy = await killedAfter(t, file, async () => {
      await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b'), turn: turnRow('ses_b', 1), calls: [callRow(1, 'toolu_1')] });
      await store.removeSession('ses_b');
    });
    for (const one of [store, await openUntilEnd(t, copy)]) {
      assert.equal(await one.session('ses_b'), null);
      assert.equal(await one.turn('ses_b', turnId(1)), null);
      assert.deepEqual(await one.usedIds('ses_b', ['toolu_1']), []);
      assert.equal(await one.countSessions('anna'), 1);
    }
  });

  test('a session that the tables have is gone with all its ids the moment it is removed', async (t) => {
    const { file, store } = await begin(t);
    await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1), calls: [callRow(1, 'toolu_1')] });
    await store.ping();
    const copy = await killedAfter(t, file, () => store.removeSession('ses_a'));
    assert.deepEqual(await store.usedIds('ses_a', ['toolu_1']), []);
    await assert.rejects(store.commit({ sessionId: 'ses_a', events: eventRows(1, 1) }));
    assert.equal(await (await openUntilEnd(t, copy)).session('ses_a'), null);
  });

  test('a turn with the ordinal of another turn is refused, and what is pending is kept', async (t) => {
    const { store } = await begin(t);
    await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1), events: eventRows(1, 1) });
    await assert.rejects(store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1, { id: 'turn_other' }), events: [eventRow(2)] }));
    await commitEvents(store, 2, 1);
    assert.deepEqual(await events(store), eventRows(1, 2));
    assert.deepEqual(await store.openTurns('ses_a'), [turnRow('ses_a', 1)]);
  });

  test('rows may be changed once their commit has resolved', async (t) => {
    const { store } = await begin(t);
    const view = { title: 'before' };
    const turn = { ...turnRow('ses_a', 1) };
    const event = { ...eventRow(1) };
    const call = callRow(1, 'toolu_1', { result: { outcome: 'ok', isError: false, content: '', view } });
    await store.commit({ sessionId: 'ses_a', turn, calls: [call], events: [event] });
    turn.document = event.json = view.title = 'after';
    assert.deepEqual(await store.turn('ses_a', turnId(1)), turnRow('ses_a', 1));
    assert.deepEqual(await events(store), eventRows(1, 1));
    assert.equal((await store.calls('ses_a', turnId(1)))[0]?.result.view.title, 'before');
  });

  test('closing brings everything into the store file and takes the journal away', async (t) => {
    const { file, store } = await begin(t);
    await commitEvents(store, 1, 3);
    assert.ok(journalsOf(file).every((path) => existsSync(path)));
    await store.close();
    assert.ok(!journalsOf(file).some((path) => existsSync(path)));
    assert.equal(rowCounts(file)['events'], 1);
  });

  test('the journal stays small, however much is written while nothing is read', async (t) => {
    const { file, store } = await begin(t);
    const large = 'x'.repeat(100_000);
    for (let seq = 1; seq <= 500; seq += 1) await store.commit({ sessionId: 'ses_a', events: [eventRow(seq, large)] });
    for (const path of journalsOf(file)) assert.ok(statSync(path).size < 20_000_000);
    assert.deepEqual(await store.range('ses_a'), { first: 1, last: 500 });
  });
});

describe('SQLite store with a journal that was spoiled', () => {
  test('a last record that was cut short is left out, and the ones before it are there', async (t) => {
    const { file, store } = await begin(t);
    const copy = await killedAfter(t, file, () => commitEvents(store, 1, 3));
    const journal = readFileSync(journalOf(copy));
    writeFileSync(journalOf(copy), journal.subarray(0, journal.length - 20));
    const { again, told } = await opened(t, copy);
    assert.deepEqual(await events(again), eventRows(1, 2));
    assert.match(told.join(), /cut short or damaged/);
  });

  test('a damaged record takes everything behind it along, which is said, and a copy of the journal is kept', async (t) => {
    const { file, store } = await begin(t);
    const copy = await killedAfter(t, file, () => commitEvents(store, 1, 9));
    const path = journalOf(copy);
    const journal = readFileSync(path);
    const at = journal.indexOf('"seq":5');
    journal.write('"seq":4', at);
    writeFileSync(path, journal);
    const { again, told } = await opened(t, copy);
    assert.deepEqual(await events(again), eventRows(1, 4));
    assert.equal(told.length, 1);
    assert.ok(told[0]?.includes(`${path}-damaged`));
    assert.deepEqual(readFileSync(`${path}-damaged`), journal);
    const next = await killedAfter(t, copy, () => commitEvents(again, 5, 1));
    const { again: third, told: silence } = await opened(t, next);
    assert.deepEqual(await events(third), eventRows(1, 5));
    assert.deepEqual(silence, []);
  });

  test('records that do not follow what the store file has are left out, which is said', async (t) => {
    const { file, store } = await begin(t);
    await commitEvents(store, 1, 3);
    const early = await killedAfter(t, file, () => store.ping());
    await commitEvents(store, 4, 3);
    await store.ping();
    const late = await killedAfter(t, file, () => commitEvents(store, 7, 3));
    writeFileSync(journalOf(early), readFileSync(journalOf(late)));
    const { again, told } = await opened(t, early);
    assert.deepEqual(await events(again), eventRows(1, 3));
    assert.equal(told.length, 1);
  });

  test('records behind a trim that the store file has lost are left out too', async (t) => {
    const { file, store } = await begin(t);
    const early = await killedAfter(t, file, () => commitEvents(store, 1, 3));
    await store.trim('ses_a', { seq: 3, ordinal: 0 });
    const late = await killedAfter(t, file, () => commitEvents(store, 4, 1));
    const journal = Buffer.concat([withoutEnd(readFileSync(journalOf(early))), readFileSync(journalOf(late))]);
    writeFileSync(journalOf(early), journal);
    const { again, told } = await opened(t, early);
    assert.deepEqual(await events(again), eventRows(1, 3));
    assert.equal(told.length, 1);
  });

  test('an orderly journal is read in silence', async (t) => {
    const { file, store } = await begin(t);
    const { told } = await opened(t, await killedAfter(t, file, () => commitEvents(store, 1, 3)));
    assert.deepEqual(told, []);
  });
});

test('on a disk that fills up every acknowledged commit outlives a kill, and what does not fit is refused', async (t) => {
  const file = await storeFile(t);
  const child = new URL('./children/fill-up.ts', import.meta.url).pathname;
  const limited = ['-c', 'ulimit -f 1024 && exec "$@"', 'bash', process.execPath, child, file];
  const filling = spawn('bash', limited, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => filling.kill('SIGKILL'));
  const exited = once(filling, 'exit');
  const { last, refusal } = JSON.parse(await text(filling.stdout)) as { last: number; refusal: string };
  await exited;
  assert.equal(refusal, 'store-unavailable');
  const { again, told } = await opened(t, file);
  assert.deepEqual(await again.range('ses_a'), { first: 1, last });
  assert.deepEqual(told, []);
});

async function begin(t: TestContext): Promise<{ file: string; store: Store }> {
  const file = await storeFile(t);
  const store = await openUntilEnd(t, file);
  await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
  await store.ping();
  return { file, store };
}

/** A commit an event. */
async function commitEvents(store: Store, first: number, count: number): Promise<void> {
  for (const event of eventRows(first, count)) await store.commit({ sessionId: 'ses_a', events: [event] });
}

/** The files as a kill would leave them the moment after `write`, when nothing else had its turn yet. */
async function killedAfter(t: TestContext, file: string, write: () => Promise<void>): Promise<string> {
  const copy = await storeFile(t);
  await write();
  copyStore(file, copy);
  return copy;
}

function journalsOf(file: string): string[] {
  return [`${file}-commits`, `${file}-commits-2`];
}

/** The file of the journal that was written to last. */
function journalOf(file: string): string {
  const [one = '', other = ''] = journalsOf(file);
  const first = (path: string): number => Number(/"position":(\d+)/.exec(readFileSync(path, 'latin1'))?.[1] ?? 0);
  return first(one) > first(other) ? one : other;
}

/** A journal without its end mark, so that more records can follow. */
function withoutEnd(journal: Buffer): Buffer {
  return journal.subarray(0, -8);
}

async function opened(t: TestContext, file: string): Promise<{ again: Store; told: string[] }> {
  const told: string[] = [];
  const again = await openSqliteStore({ file, warn: (message) => told.push(message) });
  t.after(() => again.close());
  return { again, told };
}

function events(store: Store) {
  return store.events({ sessionId: 'ses_a', after: 0, limit: 1_000 });
}
