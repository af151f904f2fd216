import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Store } from '../../../src/contract/index.ts';
import { openRedisStore } from '../../../src/store/redis/open-redis.ts';
import { DURABLE, startRedis, type RedisServer } from '../../support/redis.ts';
import { eventRow, eventRows, sessionRow, turnRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

const ignore = (): void => undefined;

describe('Redis store in trouble', () => {
  test('while Redis is away every method says so at once, and when it is back everything works and is still there', async (t) => {
    const server = await started(t, DURABLE);
    const told: string[] = [];
    const { store, leases } = await openNode(t, server.url, { warn: (message) => told.push(message) });
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), turn: turnRow('ses_a', 1), events: eventRows(1, 3) });
    await server.kill();
    for (const [name, method] of Object.entries(everyMethod(store))) await assert.rejects(method(), isUnavailable, name);
    await assert.rejects(leases.acquire('ses_a'), isUnavailable);
    await assert.rejects(leases.holder('ses_a'), isUnavailable);
    await server.start();
    await healed(store);
    assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 10 }), eventRows(1, 3));
    await store.commit({ sessionId: 'ses_a', events: [eventRow(4)] });
    assert.equal(told.length, 2, told.join('\n'));
    assert.match(told[0] ?? '', /^Redis at 127\.0\.0\.1:\d+ is away .*: connecting anew\.$/);
    assert.match(told[1] ?? '', /is back/);
  });

  test('a Redis that does not answer is an outage after a while, also for what was asked meanwhile, and heals', async (t) => {
    const server = await started(t);
    const { store } = await openNode(t, server.url, { timeoutMs: 300 });
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
    server.signal('SIGSTOP');
    const asked = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) => store.commit({ sessionId: `ses_${n}`, session: sessionRow(`ses_${n}`) })),
    );
    assert.ok(asked.every((one) => one.status === 'rejected' && isUnavailable(one.reason)));
    server.signal('SIGCONT');
    await healed(store);
    assert.notEqual(await store.session('ses_a'), null);
  });

  test('a connection that is dead and does not tell is given up, and another one made', async (t) => {
    const server = await started(t);
    const proxy = await startProxy(t, server.port);
    const { store } = await openNode(t, proxy.url, { timeoutMs: 300 });
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
    proxy.fallSilent();
    await assert.rejects(store.session('ses_a'), isUnavailable);
    await healed(store);
    await store.commit({ sessionId: 'ses_a', events: [eventRow(1)] });
    assert.deepEqual(await store.range('ses_a'), { first: 1, last: 1 });
  });

  test('kill -9 of Redis in the middle of commits loses nothing that was acknowledged, and leaves no gap', async (t) => {
    const server = await started(t, DURABLE);
    const acknowledged = await commitUntil(server, async () => server.kill());
    await server.start();
    const store = await openRedisStore({ url: server.url, warn: ignore });
    t.after(() => store.close());
    assert.ok(acknowledged.size > 0);
    for (const [id, last] of acknowledged) {
      const range = await store.range(id);
      assert.ok(range.last >= last, `${id} was acknowledged up to ${last}, but ends at ${range.last}`);
      const found: number[] = [];
      for (let rows = await store.events({ sessionId: id, after: 0, limit: 1_000 }); rows.length > 0;) {
        found.push(...rows.map(({ seq }) => seq));
        rows = await store.events({ sessionId: id, after: found.at(-1) ?? 0, limit: 1_000 });
      }
      assert.deepEqual(
        found,
        Array.from({ length: range.last }, (_, index) => index + 1),
      );
    }
    assert.equal(await store.countSessions('anna'), acknowledged.size);
  });

  test('a full Redis takes no commit, and takes them again once something was removed', async (t) => {
    const server = await started(t);
    const { store } = await openNode(t, server.url);
    await store.commit({ sessionId: 'ses_big', session: sessionRow('ses_big'), events: [eventRow(1, 'x'.repeat(5_000_000))] });
    const client = await server.client();
    await client.configSet('maxmemory', '4mb');
    await assert.rejects(store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b') }), isUnavailable);
    await assert.rejects(store.ping(), isUnavailable);
    assert.notEqual(await store.session('ses_big'), null);
    await store.removeSession('ses_big');
    await client.configSet('maxmemory', '0');
    await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b') });
    assert.equal(await store.countSessions('anna'), 1);
  });

  test('scripts that Redis has forgotten are given to it again', async (t) => {
    const server = await started(t);
    const { store } = await openNode(t, server.url);
    await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
    const client = await server.client();
    await client.scriptFlush();
    await store.commit({ sessionId: 'ses_a', events: [eventRow(1)] });
    assert.deepEqual(await store.range('ses_a'), { first: 1, last: 1 });
  });
});

describe('the start', () => {
  test('fails where nobody answers, and names the place without its password', async () => {
    const opening = openRedisStore({ url: 'redis://user:secret@127.0.0.1:1', warn: ignore });
    await assert.rejects(
      opening,
      (error: Error) => /127\.0\.0\.1:1 cannot be used/.test(error.message) && !error.message.includes('secret'),
    );
  });

  test('fails on a Redis that drops data when it is full', async (t) => {
    const server = await started(t, ['--maxmemory-policy', 'allkeys-lru']);
    await assert.rejects(openRedisStore({ url: server.url, warn: ignore }), /set maxmemory-policy noeviction/);
  });

  test('fails on sessions that another version keeps differently, and writes nothing among them', async (t) => {
    const server = await started(t);
    const client = await server.client();
    await client.set('toolexec:{format}', '99');
    await assert.rejects(openRedisStore({ url: server.url, warn: ignore }), /of another version of toolexec \(form 99, not 2\)/);
    assert.deepEqual(await client.keys('*'), ['toolexec:{format}']);
  });

  for (const [what, settings, warning] of [
    ['keeps nothing on disk', [], /all sessions are gone\. Set appendonly yes/],
    ['only takes snapshots', ['--save', '3600 1'], /only takes snapshots.*Set appendonly yes/],
    ['leaves syncing to the system', ['--appendonly', 'yes', '--appendfsync', 'no'], /Set appendfsync everysec or always/],
    ['does not show its settings', ['--appendonly', 'yes', '--rename-command', 'CONFIG', ''], /does not let toolexec read its settings/],
    ['is durable', DURABLE, undefined],
  ] as const) {
    test(`says what to set on a Redis that ${what}`, async (t) => {
      const server = await started(t, settings);
      const told: string[] = [];
      const store = await openRedisStore({ url: server.url, warn: (message) => told.push(message) });
      await store.close();
      assert.equal(told.length, warning === undefined ? 0 : 1, told.join('\n'));
      if (warning !== undefined) assert.match(told[0] ?? '', warning);
    });
  }
});

async function started(t: TestContext, settings: readonly string[] = []): Promise<RedisServer> {
  const server = await startRedis(settings);
  t.after(() => server.end());
  return server;
}

function everyMethod(store: Store): Record<Exclude<keyof Store, 'close' | 'away'>, () => Promise<unknown>> {
  const sessionId = 'ses_a';
  return {
    commit: () => store.commit({ sessionId, events: [eventRow(4)] }),
    session: () => store.session(sessionId),
    sessions: () => store.sessions({ owner: 'anna', limit: 1 }),
    countSessions: () => store.countSessions('anna'),
    expired: () => store.expired(1, 1),
    sessionsWithOpenTurns: () => store.sessionsWithOpenTurns(1),
    removeSession: () => store.removeSession(sessionId),
    turn: () => store.turn(sessionId, 'turn_1'),
    latestTurn: () => store.latestTurn(sessionId),
    openTurns: () => store.openTurns(sessionId),
    turns: () => store.turns({ sessionId, limit: 1 }),
    calls: () => store.calls(sessionId, 'turn_1'),
    usedIds: () => store.usedIds(sessionId, ['toolu_1']),
    events: () => store.events({ sessionId, after: 0, limit: 1 }),
    range: () => store.range(sessionId),
    trim: () => store.trim(sessionId, { seq: 1, ordinal: 1 }),
    claim: () => store.claim('anna', 'key'),
    idempotency: () => store.idempotency('anna', 'key'),
    remember: () => store.remember('anna', 'key', { digest: '', status: 200, body: '', headers: {}, expiresAt: Date.now() + 1_000 }),
    ping: () => store.ping(),
  };
}

async function healed(store: Store): Promise<void> {
  for (;;) {
    try {
      return await store.ping();
    } catch (error) {
      assert.ok(isUnavailable(error));
      await sleep(20);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'store-unavailable' && (error.retryAfterSeconds ?? 0) > 0;
}

/** Commits in a process of its own until something happens to Redis. @returns the last seq that was acknowledged, by session */
async function commitUntil(server: RedisServer, happen: () => Promise<void>): Promise<Map<string, number>> {
  const script = new URL('./children/commit-to-redis.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, server.url, '4'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const acknowledged = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = '', seq] = line.split(' ');
    acknowledged.set(id, Number(seq));
    count += 1;
    if (count === 300) await happen();
  }
  await closed;
  return acknowledged;
}

/** A way to Redis that can fall silent: what is open then passes nothing on and stays open. */
async function startProxy(t: TestContext, port: number) {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const redis = connect(port, '127.0.0.1');
    sockets.push(client, redis);
    for (const socket of [client, redis]) socket.on('error', () => socket.destroy());
    client.pipe(redis).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    url: `redis://127.0.0.1:${address.port}`,
    fallSilent(): void {
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Waits until so many connections were made. */
    async connections(count: number): Promise<void> {
      while (sockets.length / 2 < count) await sleep(20);
    },
  };
}
