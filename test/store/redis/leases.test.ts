import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StaleEpochError, type Lease, type Leases } from '../../../src/contract/index.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { eventRow, eventRows, everythingOf, sessionRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

const TTL_MS = 1_200;
/** Long enough that a busy machine does not look like a frozen process. */
const FROZEN_TTL_MS = 1_500;

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

describe('leases in Redis', () => {
  test('one node gets a session, the other is told who has it, until it is released', async (t) => {
    const [a, b] = [await openNode(t, server.url, { node: 'a' }), await openNode(t, server.url, { node: 'b' })];
    const lease = await taken(a.leases, 'ses_1');
    assert.equal(await b.leases.acquire('ses_1'), null);
    assert.equal(await a.leases.acquire('ses_1'), null);
    assert.equal(await b.leases.holder('ses_1'), 'a');
    assert.equal(lease.isHeld(), true);
    await lease.release();
    assert.equal(lease.isHeld(), false);
    assert.equal(lease.lost.aborted, true);
    assert.equal(await b.leases.holder('ses_1'), null);
    const next = await taken(b.leases, 'ses_1');
    assert.ok(next.epoch > lease.epoch);
    await lease.release();
    assert.equal(await a.leases.holder('ses_1'), 'b');
  });

  test('of many nodes that ask at once exactly one gets it', async (t) => {
    const nodes = await Promise.all(Array.from({ length: 5 }, (_, n) => openNode(t, server.url, { node: `n${n}` })));
    const answers = await Promise.all(nodes.flatMap(({ leases }) => Array.from({ length: 10 }, () => leases.acquire('ses_2'))));
    assert.equal(answers.filter((lease) => lease !== null).length, 1);
  });

  test('leases outlive their time, hundreds of them, while the store is busy', async (t) => {
    const ttlMs = 3_000;
    const node = await openNode(t, server.url, { ttlMs });
    const leases = await Promise.all(Array.from({ length: 300 }, (_, n) => taken(node.leases, `ses_many_${n}`)));
    const until = performance.now() + ttlMs * 1.5;
    await node.store.commit({ sessionId: 'ses_busy', session: sessionRow('ses_busy') });
    for (let seq = 1; performance.now() < until; seq += 20) {
      const events = Array.from({ length: 20 }, (_, n) => eventRow(seq + n, 'x'.repeat(5_000)));
      await node.store.commit({ sessionId: 'ses_busy', events });
    }
    const over = leases.filter((lease) => !lease.isHeld() || lease.lost.aborted);
    assert.deepEqual(
      over.map(({ lost }) => String(lost.reason)),
      [],
    );
    const other = await openNode(t, server.url, { node: 'b' });
    assert.equal(await other.leases.acquire('ses_many_0'), null);
  });

  test('a node that cannot renew stops before another can begin', async (t) => {
    const own = await startRedis();
    t.after(() => own.end());
    const [a, b] = [
      await openNode(t, own.url, { ttlMs: TTL_MS, timeoutMs: 5_000 }),
      await openNode(t, own.url, { node: 'b', ttlMs: TTL_MS, timeoutMs: 5_000 }),
    ];
    const lease = await taken(a.leases, 'ses_a');
    const lost = once(lease.lost, 'abort');
    own.signal('SIGSTOP');
    const stolen = b.leases.acquire('ses_a');
    await lost;
    assert.match(String(lease.lost.reason), /could not be renewed in time/);
    assert.equal(lease.isHeld(), false);
    own.signal('SIGCONT');
    const first = await stolen;
    const next = first ?? (await eventually(() => b.leases.acquire('ses_a')));
    assert.ok(next.epoch > lease.epoch);
  });

  test('a lease that Redis has forgotten is lost as soon as that is noticed', async (t) => {
    const node = await openNode(t, server.url, { ttlMs: 3_000 });
    const lease = await taken(node.leases, 'ses_forgotten');
    const lost = once(lease.lost, 'abort');
    const client = await server.client();
    await client.del('toolexec:{ses_forgotten}:owner');
    await lost;
    assert.match(String(lease.lost.reason), /another node has it/);
  });

  test('a process that was frozen past its lease learns it before it does anything else, and what it writes is refused', async (t) => {
    const node = await openNode(t, server.url, { node: 'b' });
    const holder = await frozenHolder(t, 'ses_frozen');
    assert.equal(await node.leases.acquire('ses_frozen'), null);
    holder.child.kill('SIGSTOP');
    const lease = await eventually(() => node.leases.acquire('ses_frozen'));
    const started = await node.store.range('ses_frozen');
    await node.store.commit({ sessionId: 'ses_frozen', epoch: lease.epoch, events: [eventRow(started.last + 1, 'of the new owner')] });
    // So that it was frozen for long enough to notice, however late that began.
    await sleep(FROZEN_TTL_MS);
    holder.child.kill('SIGCONT');
    assert.deepEqual(await holder.told, { isHeld: false, refusal: 'StaleEpochError' });
    assert.deepEqual(await node.store.range('ses_frozen'), { first: 1, last: started.last + 1 });
    assert.equal(lease.isHeld(), true);
  });

  test('closing gives back what is held', async (t) => {
    const [a, b] = [await openNode(t, server.url), await openNode(t, server.url, { node: 'b' })];
    const lease = await taken(a.leases, 'ses_closed');
    await a.leases.close();
    assert.equal(lease.lost.aborted, true);
    await taken(b.leases, 'ses_closed');
  });
});

describe('fencing', () => {
  test('a commit of an old epoch is refused whole, one of the newest and one without are written', async (t) => {
    const node = await openNode(t, server.url);
    const old = await taken(node.leases, 'ses_f');
    await node.store.commit({
      sessionId: 'ses_f',
      epoch: old.epoch,
      session: sessionRow('ses_f', { owner: 'fenced' }),
      events: eventRows(1, 2),
    });
    await old.release();
    const lease = await taken(node.leases, 'ses_f');
    const unchanged = await everythingOf(node.store, 'ses_f');
    const late = {
      sessionId: 'ses_f',
      epoch: old.epoch,
      session: sessionRow('ses_f', { owner: 'fenced', document: '"late"' }),
      events: [eventRow(3)],
    };
    await assert.rejects(node.store.commit(late), StaleEpochError);
    await assert.rejects(node.store.commit({ ...late, epoch: lease.epoch + 1 }), StaleEpochError);
    assert.deepEqual(await everythingOf(node.store, 'ses_f'), unchanged);
    assert.equal(await node.store.countSessions('fenced'), 1);
    await node.store.commit({ sessionId: 'ses_f', epoch: lease.epoch, events: [eventRow(3)] });
    await node.store.commit({ sessionId: 'ses_f', events: [eventRow(4)] });
  });

  test('the epoch of a removed session is still known, so that its former owner stays one', async (t) => {
    const node = await openNode(t, server.url);
    const old = await taken(node.leases, 'ses_r');
    await node.store.commit({ sessionId: 'ses_r', epoch: old.epoch, session: sessionRow('ses_r') });
    await old.release();
    await node.store.removeSession('ses_r');
    const lease = await taken(node.leases, 'ses_r');
    assert.ok(lease.epoch > old.epoch);
    await assert.rejects(node.store.commit({ sessionId: 'ses_r', epoch: old.epoch, session: sessionRow('ses_r') }), StaleEpochError);
    assert.equal(await node.store.session('ses_r'), null);
  });

  test('an epoch that a crash of Redis lost is not given out again', async (t) => {
    const node = await openNode(t, server.url);
    const lost = await taken(node.leases, 'ses_lost');
    const client = await server.client();
    await client.del(['toolexec:{ses_lost}:owner', 'toolexec:{ses_lost}:epoch']);
    await sleep(2);
    assert.ok((await taken(node.leases, 'ses_lost')).epoch > lost.epoch);
  });
});

async function taken(leases: Leases, sessionId: string): Promise<Lease> {
  const lease = await leases.acquire(sessionId);
  assert.ok(lease, `${sessionId} can be taken`);
  return lease;
}

async function eventually<T>(work: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await work();
    if (value !== null) return value;
    await sleep(20);
  }
}

/** A process that holds a session, and tells, once it was frozen for longer than that may be, what it may still do. */
async function frozenHolder(t: TestContext, sessionId: string) {
  const script = new URL('./children/hold-lease.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, server.url, sessionId, String(FROZEN_TTL_MS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'held');
  return { child, told: lines.next().then(({ value }) => JSON.parse(String(value)) as unknown) };
}
