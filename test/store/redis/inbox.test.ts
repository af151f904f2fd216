import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, test, type TestContext } from 'node:test';
import { Problem, StaleEpochError, type InboxMessage, type Lease } from '../../../src/contract/index.ts';
import type { RedisNode } from '../../../src/store/redis/open-redis.ts';
import { DURABLE, startRedis, type RedisServer } from '../../support/redis.ts';
import { eventRow, sessionRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

describe('inbox', () => {
  test('messages of any node reach the owner in order, those from before it came and those from after', async (t) => {
    const [a, b] = [await openNode(t, server.url), await openNode(t, server.url, { node: 'b' })];
    const texts = Array.from({ length: 50 }, (_, n) => `${n}`);
    for (const text of texts.slice(0, 30)) await b.inbox.send('ses_1', text);
    const received = receive(t, a, await taken(a, 'ses_1'));
    await received.until(30);
    for (const text of texts.slice(30)) await (Number(text) % 2 === 0 ? a : b).inbox.send('ses_1', text);
    await received.until(50);
    assert.deepEqual(received.texts, texts);
    await emptied('ses_1');
  });

  test('a message is kept until it was handled: what the owner fails at comes again', async (t) => {
    const node = await openNode(t, server.url);
    const lease = await taken(node, 'ses_2');
    await node.inbox.send('ses_2', 'first');
    await node.inbox.send('ses_2', 'second');
    const ids: string[] = [];
    const failing = async ({ id }: InboxMessage): Promise<void> => {
      ids.push(id);
      throw new Error('not now');
    };
    await assert.rejects(node.inbox.receive(lease, failing, lease.lost), /not now/);
    const received = receive(t, node, lease);
    await received.until(2);
    assert.deepEqual(received.texts, ['first', 'second']);
    assert.deepEqual(
      ids,
      received.messages.slice(0, 1).map(({ id }) => id),
    );
  });

  test('what an owner had handled when it died, and not yet taken away, comes to the next one, and nothing else does', async (t) => {
    const node = await openNode(t, server.url);
    for (const text of ['done', 'deadly', 'later']) await node.inbox.send('ses_3', text);
    const died = await diesWith('ses_3', 'deadly');
    assert.deepEqual(died, ['done', 'deadly']);
    const client = await server.client();
    await client.del('toolexec:{ses_3}:owner');
    const received = receive(t, node, await taken(node, 'ses_3'));
    await received.until(2);
    assert.deepEqual(received.texts, ['deadly', 'later']);
  });

  test('a message that no owner survives is given up after five of them', async (t) => {
    const told: string[] = [];
    const node = await openNode(t, server.url, { warn: (message) => told.push(message) });
    await node.inbox.send('ses_4', 'deadly');
    await node.inbox.send('ses_4', 'later');
    for (let owner = 0; owner < 5; owner += 1) {
      const lease = await taken(node, 'ses_4');
      await assert.rejects(node.inbox.receive(lease, () => Promise.reject(new Error('dead')), lease.lost));
      await lease.release();
    }
    const received = receive(t, node, await taken(node, 'ses_4'));
    // Taken along with the deadly one each time, it has been handed to no owner that then lived.
    await node.inbox.send('ses_4', 'last');
    await received.until(1);
    assert.equal(received.texts.includes('deadly'), false);
    assert.ok(told.some((message) => /ses_4 was given up: 5 owners/.test(message)));
  });

  test('a former owner gets nothing', async (t) => {
    const node = await openNode(t, server.url);
    const old = await taken(node, 'ses_5');
    const handedOver = async (): Promise<void> => assert.fail('handed over');
    const former = assert.rejects(node.inbox.receive(old, handedOver, new AbortController().signal), StaleEpochError);
    await old.release();
    const received = receive(t, node, await taken(node, 'ses_5'));
    await node.inbox.send('ses_5', 'for the new one');
    await former;
    await received.until(1);
  });

  test('an inbox takes so many messages and no more, and goes with its session', async (t) => {
    const { inbox, store } = await openNode(t, server.url);
    await store.commit({ sessionId: 'ses_6', session: sessionRow('ses_6') });
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => inbox.send('ses_6', `${n}`)));
    await assert.rejects(inbox.send('ses_6', 'one more'), isProblem('overloaded'));
    await assert.rejects(inbox.send('ses_6', 'x'.repeat(20_000_000)), isProblem('payload-too-large'));
    await store.removeSession('ses_6');
    await emptied('ses_6');
  });

  test('an outage makes the owner wait, and then everything comes', async (t) => {
    const own = await startRedis(DURABLE);
    t.after(() => own.end());
    const node = await openNode(t, own.url, { ttlMs: 60_000 });
    const received = receive(t, node, await taken(node, 'ses_7'));
    await node.inbox.send('ses_7', 'before');
    await received.until(1);
    await own.kill();
    await assert.rejects(node.inbox.send('ses_7', 'meanwhile'), isProblem('store-unavailable'));
    await own.start();
    await eventually(() => node.inbox.send('ses_7', 'after'));
    await received.until(2);
    assert.deepEqual(received.texts, ['before', 'after']);
  });
});

describe('wake-ups', () => {
  test('each commit of any node wakes those who watch its session, with the last seq, and no others', async (t) => {
    const [a, b] = [await openNode(t, server.url), await openNode(t, server.url, { node: 'b' })];
    await a.store.commit({ sessionId: 'ses_w', session: sessionRow('ses_w') });
    const [watched, other] = [watch(t, b, 'ses_w'), watch(t, b, 'ses_other')];
    await Promise.all([watched.until(undefined), other.until(undefined)]);
    await a.store.commit({ sessionId: 'ses_w', events: [eventRow(1), eventRow(2)] });
    await watched.until(2);
    await b.store.commit({ sessionId: 'ses_w', events: [eventRow(3)] });
    await watched.until(3);
    await a.store.removeSession('ses_w');
    await watched.until(undefined);
    assert.deepEqual(other.heard, []);
  });

  test('whoever watches is told once it listens, also the second one, and one that stopped hears nothing', async (t) => {
    const node = await openNode(t, server.url);
    await node.store.commit({ sessionId: 'ses_v', session: sessionRow('ses_v') });
    const first = watch(t, node, 'ses_v');
    await first.until(undefined);
    const second = watch(t, node, 'ses_v');
    await second.until(undefined);
    first.stop();
    await node.store.commit({ sessionId: 'ses_v', events: [eventRow(1)] });
    await second.until(1);
    second.stop();
    const third = watch(t, node, 'ses_v');
    await third.until(undefined);
    await node.store.commit({ sessionId: 'ses_v', events: [eventRow(2)] });
    await third.until(2);
    assert.deepEqual([first.heard, second.heard], [[], []]);
  });

  test('after a time in which nobody could listen, everybody is woken, and listens again', async (t) => {
    const node = await openNode(t, server.url);
    await node.store.commit({ sessionId: 'ses_u', session: sessionRow('ses_u') });
    const watches = Array.from({ length: 5 }, (_, n) => watch(t, node, n === 0 ? 'ses_u' : `ses_u${n}`));
    for (const one of watches) await one.until(undefined);
    const client = await server.client();
    await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']);
    for (const one of watches) await one.until(undefined);
    await node.store.commit({ sessionId: 'ses_u', events: [eventRow(1)] });
    await watches[0]?.until(1);
  });
});

async function taken(node: RedisNode, sessionId: string): Promise<Lease> {
  const lease = await node.leases.acquire(sessionId);
  assert.ok(lease);
  return lease;
}

/** Receives until the test ends. */
function receive(t: TestContext, node: RedisNode, lease: Lease) {
  const messages: InboxMessage[] = [];
  let wake = Promise.withResolvers<void>();
  const over = new AbortController();
  const done = node.inbox.receive(
    lease,
    async (message) => {
      messages.push(message);
      wake.resolve();
    },
    over.signal,
  );
  t.after(async () => {
    over.abort();
    await done;
  });
  return {
    messages,
    get texts() {
      return messages.map(({ text }) => text);
    },
    async until(count: number): Promise<void> {
      while (messages.length < count) {
        wake = Promise.withResolvers();
        await wake.promise;
      }
    },
  };
}

/** Waits until no message is kept for the owner of a session. */
async function emptied(sessionId: string): Promise<void> {
  const client = await server.client();
  while ((await client.xLen(`toolexec:{${sessionId}}:inbox`)) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Watches until the test ends. */
function watch(t: TestContext, node: RedisNode, sessionId: string) {
  const heard: (number | undefined)[] = [];
  let wake = Promise.withResolvers<void>();
  const stop = node.wakeUps.watch(sessionId, (seq) => {
    heard.push(seq);
    wake.resolve();
  });
  t.after(stop);
  return {
    heard,
    stop,
    /** Waits until this is what comes next. */
    async until(seq: number | undefined): Promise<void> {
      while (heard.length === 0) {
        wake = Promise.withResolvers();
        await wake.promise;
      }
      assert.equal(heard.shift(), seq);
    },
  };
}

async function eventually(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** An owner in a process of its own, which ends right after it has handled this. @returns what it handled */
async function diesWith(sessionId: string, text: string): Promise<string[]> {
  const script = new URL('./children/die-with-message.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, server.url, sessionId, text], { stdio: ['ignore', 'pipe', 'inherit'] });
  const handled: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => handled.push(line));
  await once(child, 'close');
  return handled;
}

function isProblem(code: string): (error: unknown) => boolean {
  return (error) => error instanceof Problem && error.code === code;
}
