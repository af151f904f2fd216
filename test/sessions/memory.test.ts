// Which sessions a service holds in memory.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newTrace } from '../support/test-tools.ts';
import { memoryStore } from '../store/memory-store.ts';
import { options, registry, settled, work } from './plain-registry.ts';

const [SECONDS, MINUTES] = [1_000, 60_000];
const MOST_OPEN = 500;

describe('a session that nobody uses', () => {
  test('leaves memory after a minute, and after ten where it has worked; whoever asks gets it as it was', async (t) => {
    const { sessions } = registry(t, memoryStore());
    const [unused, worked] = [await sessions.create('', options), await sessions.create('', options)];
    await unused.loadTools(['WebFetch']);
    const reply = await settled(sessions, worked.id, [work('a')]);
    const now = Date.now();
    await sessions.sweep(now + 50 * SECONDS);
    assert.equal(sessions.openCount, 2);
    await sessions.sweep(now + 70 * SECONDS);
    assert.deepEqual([sessions.openCount, unused.closed, worked.closed], [1, true, false]);
    await sessions.sweep(now + 11 * MINUTES);
    assert.equal(sessions.openCount, 0);
    const again = await sessions.get('', unused.id);
    assert.deepEqual([again.state, again.settings, again.createdAt], [unused.state, unused.settings, unused.createdAt]);
    assert.deepEqual((await settled(sessions, worked.id, [work('a')])).messages, reply.messages);
    assert.equal(sessions.openCount, 2);
  });

  test('stays while somebody is connected, reads its events, or a turn of it runs', async (t) => {
    const trace = newTrace();
    const { sessions } = registry(t, memoryStore(), trace);
    const [connected, read, running] = [
      await sessions.create('', options),
      await sessions.create('', options),
      await sessions.create('', options),
    ];
    connected.sockets += 1;
    const leave = new AbortController();
    const reading = (async () => {
      for await (const _ of read.log.read({ after: 0, follow: true, signal: leave.signal }));
    })();
    const turn = settled(sessions, running.id, [work('a', { ms: 60_000 })]);
    await trace.until(() => trace.started.length === 1);
    await sessions.sweep(Date.now() + 20 * MINUTES);
    assert.equal(sessions.openCount, 3);
    leave.abort();
    await reading;
    connected.sockets -= 1;
    for (const open of running.turns.open) open.abort('The test is over.');
    await turn;
    await sessions.sweep(Date.now() + 20 * MINUTES);
    assert.equal(sessions.openCount, 0);
  });

  test(`makes room soon where more than ${MOST_OPEN} are open, those used longest ago first`, async (t) => {
    const { sessions } = registry(t, memoryStore());
    const made = [];
    for (let n = 0; n < MOST_OPEN + 100; n += 1) {
      const session = await sessions.create(`owner ${n % 20}`, options);
      // However long it takes to make them.
      session.usedAt += MINUTES;
      made.push(session);
    }
    assert.equal(sessions.openCount, made.length, 'none goes that somebody may still be about to use');
    await sessions.sweep(Date.now() + MINUTES + 10 * SECONDS);
    assert.equal(sessions.openCount, MOST_OPEN);
    const open = made.filter(({ closed }) => !closed);
    assert.deepEqual(open, made.slice(100));
    const [oldest] = open;
    assert.equal(await sessions.get(oldest?.owner ?? '', oldest?.id ?? ''), oldest);
    for (const session of open.slice(1)) session.usedAt = Date.now() - 10 * SECONDS;
    await sessions.create('', options);
    while (sessions.openCount > MOST_OPEN) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([oldest?.closed, open[1]?.closed], [false, true]);
  });

  test('keeps for ten minutes what its model has read, however many others are open', async (t) => {
    const { sessions } = registry(t, memoryStore());
    const [reader, other] = [await sessions.create('', options), await sessions.create('', options)];
    await settled(sessions, reader.id, [work('a')]);
    reader.place = { ...reader.place, files: { ...reader.place.files, remembersAny: () => true } };
    for (let n = 0; n < MOST_OPEN; n += 1) await sessions.create(`owner ${n % 20}`, options);
    const now = Date.now();
    await sessions.sweep(now + 5 * MINUTES);
    assert.deepEqual([reader.closed, other.closed], [false, true]);
    await sessions.sweep(now + 11 * MINUTES);
    assert.equal(reader.closed, true);
  });
});

test('a service that drains opens no session, and reads those on that still run', async (t) => {
  const store = memoryStore();
  const trace = newTrace();
  const { sessions } = registry(t, store, trace);
  const [asleep, running] = [await sessions.create('', options), await sessions.create('', options)];
  await sessions.rest(asleep);
  const turn = settled(sessions, running.id, [work('a', { ms: 60_000 })]);
  await trace.until(() => trace.started.length === 1);
  const drained = sessions.drain(60_000);
  await assert.rejects(sessions.get('', asleep.id), { code: 'draining' });
  await assert.rejects(sessions.create('', options), { code: 'draining' });
  const open = await sessions.get('', running.id);
  for (const one of open.turns.open) one.abort('The test is over.');
  assert.equal((await turn).turn.status, 'aborted');
  await drained;
});
