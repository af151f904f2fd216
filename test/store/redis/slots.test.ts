// A Redis Cluster keeps keys in 16,384 slots, and a script may use those of one slot only.
import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { slotOf } from '../../../src/store/redis/slot.ts';
import { SCRIPTS } from '../../../src/store/redis/scripts.ts';
import { freePort } from '../../../chaos/world/free-port.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { callRow, eventRows, everythingOf, sessionRow, turnRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

describe('keys', () => {
  test('the slot of a key is what the specification of Redis Cluster says', async () => {
    assert.equal(slotOf('123456789'), 0x31c3);
    assert.equal(slotOf('{user1000}.following'), slotOf('{user1000}.followers'));
    assert.notEqual(slotOf('foo{}{bar}'), slotOf('bar'));
  });

  test('of every script that any operation runs share a slot, and so do those that it then uses', async (t) => {
    const commands = await recorded(t, () => everyOperation(t, server.url));
    const used = new Set<string>();
    let [keys, within]: [string[], string] = [[], ''];
    for (const { isOfScript, words } of commands) {
      const [name = '', sha = '', count = '0'] = words;
      if (!isOfScript && /^eval(sha)?$/i.test(name)) {
        keys = words.slice(3, 3 + Number(count));
        within = sha;
        used.add(sha);
        assert.equal(new Set(keys.map(slotOf)).size, 1, `${sha} ${keys.join(' ')}`);
      } else if (isOfScript && sha.startsWith('toolexec:')) {
        assert.ok(keys.includes(sha), `${name} ${sha} is no key that ${within} was given`);
      }
    }
    const unused = Object.entries(SCRIPTS).filter(([, { sha }]) => !used.has(sha));
    assert.deepEqual(
      unused.map(([name]) => name),
      [],
      'every script was run',
    );
  });
});

describe('a Redis Cluster of one shard', () => {
  test('takes every operation: it refuses scripts whose keys are of two slots', async (t) => {
    const cluster = await startRedis(['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())]);
    t.after(() => cluster.end());
    const client = await cluster.client();
    await client.clusterAddSlotsRange({ start: 0, end: 16_383 });
    while (!(await client.clusterInfo()).includes('cluster_state:ok')) await new Promise((resolve) => setTimeout(resolve, 20));
    await everyOperation(t, cluster.url);
  });
});

describe('a Redis Cluster of three shards', () => {
  test('takes every operation, each session at the shard that has its slot', async (t) => {
    const shards = await Promise.all(
      Array.from({ length: 3 }, async () => startRedis(['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())])),
    );
    t.after(() => Promise.all(shards.map((shard) => shard.end())));
    const clients = await Promise.all(shards.map((shard) => shard.client()));
    await Promise.all(clients.map((client, index) => client.clusterAddSlotsRange(RANGES[index] as { start: number; end: number })));
    await Promise.all(clients.map((client, index) => client.sendCommand(['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)])));
    for (const [index, shard] of shards.entries()) {
      const bus = (await clients[index]?.clusterNodes())?.match(/@(\d+)/)?.[1] ?? '';
      await clients[0]?.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', String(shard.port), bus]);
    }
    const isWhole = async (client: (typeof clients)[number]): Promise<boolean> => {
      const info = await client.clusterInfo();
      return info.includes('cluster_state:ok') && info.includes('cluster_size:3');
    };
    while (!(await Promise.all(clients.map(isWhole))).every(Boolean)) await new Promise((resolve) => setTimeout(resolve, 50));
    await everyOperation(t, shards[0]?.url ?? '');
    const { store } = await openNode(t, shards[1]?.url ?? '');
    const ids = Array.from({ length: 20 }, (_, index) => `ses_${index}`);
    await Promise.all(ids.map((id) => store.commit({ sessionId: id, session: sessionRow(id), events: eventRows(1, 3) })));
    for (const id of ids) assert.equal((await store.events({ sessionId: id, after: 0, limit: 10 })).length, 3);
    const sizes = await Promise.all(clients.map((client) => client.dbSize()));
    assert.ok(
      sizes.every((size) => size > 0),
      String(sizes),
    );
  });
});

const RANGES = [
  { start: 0, end: 5_460 },
  { start: 5_461, end: 10_922 },
  { start: 10_923, end: 16_383 },
];

/** Every operation of all that nodes share, each at least once, so that every script runs. */
async function everyOperation(t: TestContext, url: string): Promise<void> {
  const { store, leases, ...shared } = await openNode(t, url, { ttlMs: 300 });
  for (const id of ['ses_1', 'ses_2', 'ses {3}']) {
    const lease = await leases.acquire(id);
    assert.ok(lease);
    const session = sessionRow(id, { owner: 'own}er', expiresAt: 10 });
    await store.commit({
      sessionId: id,
      epoch: lease.epoch,
      session,
      turn: turnRow(id, 1),
      calls: [callRow(1, 'toolu_1')],
      events: eventRows(1, 5),
    });
    await store.commit({ sessionId: id, session: { ...session, expiresAt: 50, owner: '{other' } });
    await everythingOf(store, id);
    await store.usedIds(id, ['toolu_1']);
    await store.trim(id, { seq: 3, ordinal: 2 });
  }
  await store.sessions({ owner: '{other', limit: 10 });
  await store.countSessions('{other');
  assert.equal((await store.expired(100, 10)).length, 3);
  await store.sessionsWithOpenTurns(10);
  await store.remember('own}er', 'a{b}', { digest: '', status: 200, body: '', headers: {}, expiresAt: Date.now() + 10_000 });
  const claimed = await store.claim('own}er', 'c{d}');
  assert.ok(claimed !== null && 'claim' in claimed);
  await claimed.claim.keep({ digest: '', status: 200, body: '', headers: {}, expiresAt: Date.now() + 10_000 });
  await shared.nodes.announce('http://10.0.0.7:8080');
  await shared.nodes.secret();
  await shared.rates.add('requests {own}er', 1_000);
  const tickets = shared.tickets(10);
  assert.ok(await tickets.put('digest', { owner: 'own}er', sessionId: 'ses_1', scope: 'watch', expiresAt: Date.now() + 10_000 }));
  assert.notEqual(await tickets.take('digest'), null);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await leases.close();
  for (const id of ['ses_1', 'ses_2', 'ses {3}']) await store.removeSession(id);
}

/** What Redis was asked for, and what its scripts did, while `work` ran. */
async function recorded(t: TestContext, work: () => Promise<void>) {
  const monitor = await server.client();
  const lines: string[] = [];
  await monitor.monitor((line) => lines.push(line));
  await work();
  const marker = await server.client();
  await marker.echo('the end of it');
  while (!lines.some((line) => line.includes('the end of it'))) await new Promise((resolve) => setTimeout(resolve, 10));
  t.after(() => monitor.destroy());
  return lines.map((line) => ({
    isOfScript: / \[\d+ lua\] /.test(line),
    words: [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word.replaceAll(/\\(.)/g, '$1')),
  }));
}
