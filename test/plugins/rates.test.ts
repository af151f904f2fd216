import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test, type TestContext } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import type { RateCounter } from '../../src/contract/index.ts';
import { auth } from '../../src/plugins/access/auth.ts';
import { problemDetails } from '../../src/plugins/problem-details.ts';
import { tickets, ticketsInMemory } from '../../src/plugins/access/tickets.ts';
import { openNode } from '../store/redis/open-redis.ts';
import { startRedis, type RedisServer } from '../support/redis.ts';

const [REQUESTS, FAILURES] = [6, 4];
const KEYS = ['anna', 'bert'].map((name) => ({ name, digest: createHash('sha256').update(`key-of-${name}`).digest() }));

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

describe('rates', () => {
  test('of a service alone are its own, and one key does not use up those of another', async (t) => {
    const app = await opened(t, undefined);
    await reaches(() => ask(app, 'key-of-anna'), REQUESTS, 200);
    assert.equal((await ask(app, 'key-of-bert')).status, 200);
  });

  test('of nodes are counted together: a request more than the limit is refused, whichever node it comes to', async (t) => {
    const [one, two] = await nodes(t);
    let n = 0;
    const refused = await reaches(() => ask((n += 1) % 2 === 0 ? one : two, 'key-of-anna'), REQUESTS, 200);
    assert.ok(refused.retryAfter > 0 && refused.retryAfter <= 60);
    for (const app of [one, two]) {
      assert.equal((await ask(app, 'key-of-anna')).status, 429);
      assert.equal((await ask(app, 'key-of-bert')).status, 200);
    }
  });

  test('of wrong keys are counted together by address, and an IPv6 network counts as one address', async (t) => {
    const [one, two] = await nodes(t);
    let n = 0;
    await reaches(() => ask((n += 1) % 2 === 0 ? one : two, 'wrong', `2001:db8::${n}`), FAILURES, 401);
    assert.equal((await ask(two, 'wrong', '2001:db8:0:1::1')).status, 401);
    assert.equal((await ask(two, 'key-of-anna', '2001:db8::1')).status, 200, 'a right key is none of them');
  });

  test('are counted by each node alone while Redis is away: everybody is still let in, and nobody without end', async (t) => {
    const own = await startRedis();
    t.after(() => own.end());
    const [one, two] = await nodes(t, own);
    for (let n = 0; n < REQUESTS; n += 1) await ask(one, 'key-of-anna');
    assert.equal((await ask(two, 'key-of-anna')).status, 429);
    await own.kill();
    for (const app of [one, two]) await reaches(() => ask(app, 'key-of-anna'), REQUESTS, 200);
  });

  test('begin again when their minute is over, and leave nothing in Redis', async (t) => {
    const client = await server.client();
    await client.flushAll();
    const { rates } = await openNode(t, server.url);
    const [windowMs, key] = [2_000, 'requests anna'];
    assert.deepEqual((await rates.add(key, 60_000)).count, 1);
    await client.flushAll();
    const counts = await Promise.all(Array.from({ length: 10 }, () => rates.add(key, windowMs)));
    assert.deepEqual(
      counts.map(({ count }) => count),
      Array.from({ length: 10 }, (_, index) => index + 1),
    );
    assert.ok(counts.every(({ endsInMs }) => endsInMs <= windowMs));
    while ((await client.dbSize()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal((await rates.add(key, windowMs)).count, 1);
  });
});

/** Two nodes that count together. */
async function nodes(t: TestContext, redis: RedisServer = server): Promise<[FastifyInstance, FastifyInstance]> {
  await (await redis.client()).flushAll();
  const [a, b] = [await openNode(t, redis.url, { node: 'a' }), await openNode(t, redis.url, { node: 'b' })];
  return [await opened(t, a.rates), await opened(t, b.rates)];
}

async function opened(t: TestContext, shared: RateCounter | undefined): Promise<FastifyInstance> {
  const app = fastify();
  t.after(() => app.close());
  await app.register(problemDetails);
  await app.register(tickets, { store: ticketsInMemory(1) });
  await app.register(auth, { keys: KEYS, rates: { requestsPerMinute: REQUESTS, failuresPerMinute: FAILURES, shared } });
  return app.get('/', () => 'let in');
}

async function ask(app: FastifyInstance, key: string, remoteAddress = '127.0.0.1') {
  const { statusCode, headers } = await app.inject({ url: '/', headers: { authorization: `Bearer ${key}` }, remoteAddress });
  return { status: statusCode, retryAfter: Number(headers['retry-after']) };
}

/** Asks as often as the limit allows, which is answered with `status`, and once more, which is refused. */
async function reaches(asking: () => ReturnType<typeof ask>, limit: number, status: number) {
  for (let n = 0; n < limit; n += 1) assert.equal((await asking()).status, status, `request ${n + 1} of ${limit}`);
  const refused = await asking();
  assert.equal(refused.status, 429);
  return refused;
}
