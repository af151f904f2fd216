// What only a store with several nodes can lose: claims of makers that stand still or die.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Claimed, IdempotencyRecord } from '../../../src/contract/index.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { openNode } from './open-redis.ts';

const HOUR_MS = 3_600_000;
const record: IdempotencyRecord & { expiresAt: number } = {
  digest: 'd',
  status: 201,
  body: 'made',
  headers: {},
  expiresAt: Date.now() + HOUR_MS,
};

let redis: RedisServer;
before(async () => {
  redis = await startRedis();
});
after(() => redis.end());

test('a claim is kept alive for as long as something is made, at whichever node others ask', async (t) => {
  const ttlMs = 1_000;
  const [one, two] = [await openNode(t, redis.url, { node: 'a', ttlMs }), await openNode(t, redis.url, { node: 'b', ttlMs })];
  const claim = claimOf(await one.store.claim('anna', 'slow'));
  // Far longer than a claim stays that is not renewed.
  for (const until = Date.now() + 4 * ttlMs; Date.now() < until; await sleep(100)) {
    assert.equal(await two.store.claim('anna', 'slow'), null);
  }
  assert.equal(await claim?.keep(record), true);
  const { expiresAt: _, ...made } = record;
  assert.deepEqual(await two.store.claim('anna', 'slow'), { record: made });
});

test('a claim whose maker died goes to another, and what the first makes after all is not kept', async (t) => {
  const [one, two] = [await openNode(t, redis.url, { node: 'a' }), await openNode(t, redis.url, { node: 'b' })];
  const lost = claimOf(await one.store.claim('anna', 'lost'));
  const client = await redis.client();
  const [key = ''] = await client.keys('*lost*');
  assert.ok((await client.pTTL(key)) > 0, 'it fades by itself');
  await client.del(key);
  const other = claimOf(await two.store.claim('anna', 'lost'));
  assert.ok(other);
  assert.equal(await lost?.keep(record), false);
  await lost?.release();
  assert.equal(await other.keep({ ...record, body: 'made by the other' }), true);
  assert.equal((await one.store.idempotency('anna', 'lost'))?.body, 'made by the other');
  await other.release();
});

function claimOf(claimed: Claimed | null): Claim | undefined {
  return claimed !== null && 'claim' in claimed ? claimed.claim : undefined;
}
