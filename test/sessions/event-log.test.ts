import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { LoggedEventBody } from '../../src/contract/index.ts';
import { localLeases } from '../../src/store/local-leases.ts';
import { EventLog } from '../../src/sessions/log/event-log.ts';
import type { LogItem } from '../../src/sessions/log/log-reader.ts';
import { memoryStore } from '../store/memory-store.ts';
import { sessionRow, turnRow } from '../store/rows.ts';

async function openLog(limits = { events: 100_000, turns: 1000 }) {
  const store = memoryStore();
  await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
  const lease = (await localLeases('node').acquire('ses_a')) ?? assert.fail();
  const log = new EventLog({ lease, store, limits, range: { first: 1, last: 0 } });
  return { log, store };
}

const event = (n: number): LoggedEventBody => ({ type: 'approval_resolved', approval_id: `apr_${n}`, behavior: 'deny', by: 'test' });

/** The log is trimmed when a turn ends. */
const ended = turnRow('ses_a', 1, { open: false });

async function* read(log: EventLog, after: number, follow: boolean, signal = new AbortController().signal): AsyncGenerator<LogItem, void> {
  for await (const items of log.read({ after, follow, signal })) yield* items;
}

async function take(items: AsyncGenerator<LogItem, void>, count: number): Promise<LogItem[]> {
  const taken: LogItem[] = [];
  for await (const item of items) if (taken.push(item) >= count) break;
  return taken;
}

describe('a log', () => {
  test('hands an event to its readers only when it is kept', async () => {
    const { log, store } = await openLog();
    const reader = read(log, 0, true);
    const first = reader.next();
    let kept = false;
    const commit = store.commit.bind(store);
    store.commit = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await commit(request);
      kept = true;
    };
    await Promise.all([first.then(() => assert.ok(kept)), log.append({ events: [event(1)] })]);
    await reader.return();
  });

  test('sends nothing that could not be kept', async () => {
    const { log, store } = await openLog();
    const commit = store.commit.bind(store);
    store.commit = () => Promise.reject(new Error('disk full'));
    await assert.rejects(log.append({ events: [event(1)] }), /disk full/);
    assert.equal(log.lastSeq, 0);
    store.commit = commit;
    assert.deepEqual(await take(read(log, 0, false), 10), []);
  });

  test('gives a reader that fell far behind every event, and only thins its progress', async () => {
    const { log } = await openLog();
    const reader = read(log, 0, true);
    for (let n = 0; n < 3000; n += 1) {
      await log.append({ events: [event(n)] });
      log.live({ type: 'progress', tool_use_id: 'a', data: n }, 'turn_1');
    }
    const seqs: number[] = [];
    let progress = 0;
    for await (const item of reader) {
      if (item.seq === null) progress += 1;
      else seqs.push(item.seq);
      if (seqs.length === 3000) break;
    }
    assert.deepEqual(
      seqs,
      Array.from({ length: 3000 }, (_, n) => n + 1),
    );
    assert.ok(progress < 3000);
  });

  test('ends a reader that does not follow at the present, and one that leaves at once', async () => {
    const { log } = await openLog();
    await log.append({ events: [event(1), event(2)] });
    assert.equal((await take(read(log, 0, false), 10)).length, 2);
    const leaving = new AbortController();
    const waiting = take(read(log, 2, true, leaving.signal), 10);
    leaving.abort();
    assert.deepEqual(await waiting, []);
    assert.equal(log.hasReaders, false);
  });

  test('tells of a gap where it was trimmed, also to a reader that was trimmed past while it waited', async () => {
    const { log } = await openLog({ events: 10, turns: 1000 });
    const slow = read(log, 0, true);
    assert.equal((await Promise.all([slow.next(), log.append({ events: [event(0)] })]))[0].value?.seq, 1);
    for (let n = 1; n < 4000; n += 1) await log.append({ events: [event(n)], turn: ended });
    const next = await slow.next();
    assert.equal(next.value?.type, 'gap');
    const { from, to } = JSON.parse(next.value?.json ?? '{}') as { from: number; to: number };
    assert.equal(from, 2);
    assert.equal((await slow.next()).value?.seq, to + 1);
    await slow.return();
  });

  test('gives every reader the same dense sequence, whenever it joins and however the appends are grouped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        async (groups, joinAt) => {
          const { log } = await openLog();
          const total = groups.reduce((sum, size) => sum + size, 0);
          let late: Promise<LogItem[]> | undefined;
          const early = total > 0 ? take(read(log, 0, true), total) : Promise.resolve([]);
          const appends: Promise<unknown>[] = [];
          for (const [index, size] of groups.entries()) {
            if (index === joinAt) late = take(read(log, 0, true), total);
            appends.push(log.append({ events: Array.from({ length: size }, (_, n) => event(n)) }));
            if (size % 2 === 0) await Promise.all(appends);
          }
          await Promise.all(appends);
          const expected = Array.from({ length: total }, (_, n) => n + 1);
          for (const reader of [await early, await (late ?? take(read(log, 0, false), total || 1))]) {
            assert.deepEqual(
              reader.map(({ seq }) => seq),
              expected,
            );
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('under trimming gives a reader of any speed each kept event once, in order, and accounts for every missing one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 60 })), { maxLength: 60 }),
        async (steps) => {
          const { log } = await openLog({ events: 30, turns: 1000 });
          const reader = read(log, 0, false);
          let accounted = 0;
          const takeOne = async (): Promise<boolean> => {
            const { value, done } = await reader.next();
            if (done === true) return false;
            const { from, to } =
              value.seq === null ? (JSON.parse(value.json) as { from: number; to: number }) : { from: value.seq, to: value.seq };
            assert.equal(from, accounted + 1);
            accounted = to;
            return true;
          };
          let over = false;
          for (const [add, pull] of steps) {
            await log.append({ events: Array.from({ length: add }, (_, n) => event(n)), turn: ended });
            for (let n = 0; n < pull && !over; n += 1) over = !(await takeOne());
            if (over) return;
          }
          while (await takeOne());
          assert.equal(accounted, log.lastSeq);
        },
      ),
      { numRuns: 200 },
    );
  });
});
