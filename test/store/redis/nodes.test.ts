import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Nodes } from '../../../src/contract/index.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { openNode } from './open-redis.ts';

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

const TTL_MS = 400;

describe('nodes', () => {
  test('find one another by the name that leases carry, for as long as they live', async (t) => {
    const [a, b] = [await openNode(t, server.url, { node: 'a', ttlMs: TTL_MS }), await openNode(t, server.url, { node: 'b' })];
    assert.equal(a.nodes.name, 'a');
    assert.equal(await b.nodes.urlOf('a'), null);
    await a.nodes.announce('http://10.0.0.7:8080');
    assert.equal(await b.nodes.urlOf('a'), 'http://10.0.0.7:8080');
    await sleep(TTL_MS * 5);
    assert.equal(await b.nodes.urlOf('a'), 'http://10.0.0.7:8080', 'what was said is renewed');
    await a.store.close();
    assert.equal(await b.nodes.urlOf('a'), null, 'one that ends says so');
  });

  test('that have died fade', async (t) => {
    const dead = await openNode(t, server.url, { node: 'dead', ttlMs: 60_000 });
    await dead.nodes.announce('http://10.0.0.8:8080');
    const client = await server.client();
    const left = await client.pTTL('toolexec:{node:dead}');
    assert.ok(left > 60_000 && left <= 120_000, `${left} ms`);
  });

  test('tell again where they are after Redis was away and has forgotten all', async (t) => {
    const own = await startRedis();
    t.after(() => own.end());
    const { nodes } = await openNode(t, own.url, { node: 'a', ttlMs: TTL_MS });
    const secret = await nodes.secret();
    await own.kill();
    await assert.rejects(nodes.announce('http://10.0.0.7:8080'), isUnavailable);
    await assert.rejects(nodes.urlOf('a'), isUnavailable);
    assert.equal(await nodes.secret(), secret, 'what is known needs no Redis');
    await own.start();
    await told(nodes, 'a', 'http://10.0.0.7:8080');
    const client = await own.client();
    while ((await client.get('toolexec:{secret}')) === null) await sleep(20);
    const later = await openNode(t, own.url, { node: 'b' });
    assert.equal(await later.nodes.secret(), secret, 'a node that starts now knows the others');
  });

  test('share one secret, also when all of them ask for it first', async (t) => {
    const nodes = await Promise.all(Array.from({ length: 5 }, (_, n) => openNode(t, server.url, { node: `n${n}` })));
    const secrets = await Promise.all(nodes.flatMap((node) => [node.nodes.secret(), node.nodes.secret()]));
    const [secret = ''] = secrets;
    assert.deepEqual(new Set(secrets), new Set([secret]));
    assert.ok(Buffer.from(secret, 'base64url').length >= 32);
  });

  test('cannot be told of, or know one another, while Redis is away', async (t) => {
    const own = await startRedis();
    t.after(() => own.end());
    const { nodes } = await openNode(t, own.url);
    await own.kill();
    await assert.rejects(nodes.secret(), isUnavailable);
  });
});

/** Waits until a node is known. */
async function told(nodes: Nodes, node: string, url: string): Promise<void> {
  while ((await nodes.urlOf(node).catch(() => null)) !== url) await sleep(20);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'store-unavailable';
}
