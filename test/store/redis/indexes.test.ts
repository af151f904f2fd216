// What spans sessions is written before the session: these tests leave what a crash between the two would leave.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test, type TestContext } from 'node:test';
import type { Store } from '../../../src/contract/index.ts';
import { expiryKeys, listKeys, openKeys, shardOf, type IndexKeys } from '../../../src/store/redis/keys.ts';
import { openLink, type Link } from '../../../src/store/redis/link.ts';
import { SCRIPTS } from '../../../src/store/redis/scripts.ts';
import { redisStore } from '../../../src/store/redis/store.ts';
import { startRedis, type RawClient, type RedisServer } from '../../support/redis.ts';
import { eventRow, sessionRow, turnRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

const MINUTE_MS = 60_000;

let server: RedisServer;
let redis: RawClient;
before(async () => {
  server = await startRedis();
  redis = await server.client();
});
beforeEach(async () => void (await redis.flushAll()));
after(() => server.end());

describe('entries that a crash left', () => {
  test('without a session are passed over by every list', async (t) => {
    const store = await open(t);
    await leave({ age: 0 });
    await store.commit({ sessionId: 'ses_there', session: sessionRow('ses_there', { expiresAt: 5 }), turn: turnRow('ses_there', 1) });
    assert.deepEqual(await store.expired(1_000, 1), ['ses_there']);
    assert.deepEqual(await store.sessionsWithOpenTurns(10), ['ses_there']);
    const page = await store.sessions({ owner: 'anna', limit: 1 });
    assert.deepEqual([page.rows.map(({ id }) => id), page.nextCursor], [['ses_there'], null]);
  });

  test('without a session go once they are old, and not before: a commit may be on its way', async (t) => {
    const store = await open(t);
    await leave({ age: MINUTE_MS / 2 });
    await store.expired(1_000, 10);
    await store.sessions({ owner: 'anna', limit: 10 });
    assert.deepEqual(await Promise.all(indexes().map(sizeOf)), [1, 1, 1]);
    await leave({ age: MINUTE_MS * 2 });
    await store.sessionsWithOpenTurns(10);
    await store.expired(1_000, 10);
    assert.deepEqual(await Promise.all(indexes().map(sizeOf)), [0, 0, 0]);
    assert.equal(await store.countSessions('anna'), 0);
  });

  test('are no obstacle for the session when it comes after all', async (t) => {
    const store = await open(t);
    await leave({ age: MINUTE_MS * 2 });
    await store.commit({ sessionId: 'ses_lost', session: sessionRow('ses_lost', { expiresAt: 7 }), turn: turnRow('ses_lost', 1) });
    assert.deepEqual(await store.expired(6, 10), []);
    assert.deepEqual(await store.expired(7, 10), ['ses_lost']);
    assert.deepEqual(await store.sessionsWithOpenTurns(10), ['ses_lost']);
    assert.equal(await store.countSessions('anna'), 1);
  });
});

describe('sweeping', () => {
  test('never loses a session that is written at the same time: all are listed, expire and have open turns', async (t) => {
    const [one, two] = [await open(t), await open(t)];
    const ids = Array.from({ length: 100 }, (_, n) => `ses_${n}`);
    const written = new AbortController();
    const sweeping = (async () => {
      while (!written.signal.aborted) {
        await Promise.all([two.expired(1_000, 5), two.sessions({ owner: 'anna', limit: 5 }), two.sessionsWithOpenTurns(5)]);
      }
    })();
    for (const [n, id] of ids.entries()) {
      await one.commit({ sessionId: id, session: sessionRow(id, { expiresAt: 2_000 }) });
      await one.commit({ sessionId: id, session: sessionRow(id, { expiresAt: 10 + n }), turn: turnRow(id, 1) });
    }
    written.abort();
    await sweeping;
    assert.deepEqual(await two.expired(1_000, 1_000), ids);
    assert.equal(await two.countSessions('anna'), ids.length);
    assert.equal((await two.sessions({ owner: 'anna', limit: 1_000 })).rows.length, ids.length);
    assert.deepEqual((await two.sessionsWithOpenTurns(1_000)).toSorted(), ids.toSorted());
  });

  test('takes no entry away for good whose commit is on its way', async (t) => {
    const other = await open(t);
    await other.commit({ sessionId: 'ses_a', session: sessionRow('ses_a', { expiresAt: 2_000 }), events: [eventRow(1)] });
    const keys = openKeys(shardOf('ses_a'));
    let sweeps = 0;
    const store = await openSlow(t, async () => {
      if ((sweeps += 1) > 1) return;
      await redis.zAdd(keys.entries, { score: Date.now() - MINUTE_MS * 2, value: 'ses_a' });
      await Promise.all([other.expired(1_000, 10), other.sessionsWithOpenTurns(10)]);
      assert.equal(await sizeOf(keys), 0);
    });
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a', { expiresAt: 10 }), turn: turnRow('ses_a', 1) });
    assert.equal(sweeps, 2);
    assert.deepEqual(await other.expired(1_000, 10), ['ses_a']);
    assert.deepEqual(
      (await other.sessions({ owner: 'anna', limit: 10 })).rows.map(({ id }) => id),
      ['ses_a'],
    );
    assert.deepEqual(await other.sessionsWithOpenTurns(10), ['ses_a']);
  });

  test('a session whose turns have ended leaves the index of open turns after a rest, and comes back with its next turn', async (t) => {
    const store = await open(t);
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), turn: turnRow('ses_a', 1) });
    await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1, { open: false }) });
    const keys = openKeys(shardOf('ses_a'));
    await store.sessionsWithOpenTurns(10);
    assert.equal(await sizeOf(keys), 1);
    await redis.zAdd(keys.entries, { score: Date.now() - MINUTE_MS * 2, value: 'ses_a' });
    await store.sessionsWithOpenTurns(10);
    assert.equal(await sizeOf(keys), 0);
    await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 2), events: [eventRow(1)] });
    assert.deepEqual(await store.sessionsWithOpenTurns(10), ['ses_a']);
  });

  test('a removed session leaves no key but its epoch', async (t) => {
    const { store, leases } = await openNode(t, server.url);
    const lease = await leases.acquire('ses_a');
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), turn: turnRow('ses_a', 1), events: [eventRow(1)] });
    await lease?.release();
    await store.removeSession('ses_a');
    assert.deepEqual((await redis.keys('*')).toSorted(), ['toolexec:{format}', 'toolexec:{ses_a}:epoch']);
    assert.ok((await redis.pTTL('toolexec:{ses_a}:epoch')) > 0);
  });
});

async function open(t: TestContext): Promise<Store> {
  return (await openNode(t, server.url)).store;
}

/** A store whose commits wait between their indexes and the session. */
async function openSlow(t: TestContext, meanwhile: () => Promise<void>): Promise<Store> {
  const link = await openLink({ url: server.url, timeoutMs: 5_000, warn: () => undefined });
  const slow: Link = {
    away: false,
    ask: (key, work) => link.ask(key, work),
    async run(script, keys, args) {
      if (script === SCRIPTS.commit && args[2] !== '') await meanwhile();
      return link.run(script, keys, args);
    },
    close: () => link.close(),
  };
  const store = redisStore(slow, { claimMs: 30_000, close: () => link.close() });
  t.after(() => store.close());
  return store;
}

function indexes(): IndexKeys[] {
  return [expiryKeys(shardOf('ses_lost')), listKeys('anna'), openKeys(shardOf('ses_lost'))];
}

/** Puts entries there as a commit does, and no session. @param age milliseconds since */
async function leave({ age }: { age: number }): Promise<void> {
  const stamp = Date.now() - age;
  const [expiry, list, opened] = indexes();
  for (const [keys, score] of [
    [expiry, 1],
    [list, 1_000],
    [opened, stamp],
  ] as const) {
    assert.ok(keys);
    await redis.zAdd(keys.entries, { score, value: 'ses_lost' });
    await redis.hSet(keys.notes, 'ses_lost', `${stamp} anna`);
  }
}

function sizeOf({ entries }: IndexKeys): Promise<number> {
  return redis.zCard(entries);
}
