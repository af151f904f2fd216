// Sessions that are opened at the wrong moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { readTurn } from '../../src/sessions/turn/turn-history.ts';
import { memoryStore } from '../store/memory-store.ts';
import { newTrace } from '../support/test-tools.ts';
import { options, registry, work } from './plain-registry.ts';

/** A store as a service leaves it that was killed before the turns of its session began. */
async function leftTurns() {
  const store = memoryStore();
  const dying = { ...store };
  const session = await registry(null, dying).sessions.create('', options);
  void session.between(() => new Promise(() => {}));
  const turns = [session.startTurn('anthropic', [work('a', { ms: 100 })]), session.startTurn('anthropic', [work('b')])];
  for (const turn of turns) await session.keepQueued(turn);
  dying.commit = () => new Promise(() => {});
  return { store, id: session.id, turnIds: turns.map(({ id }) => id) };
}

test('a session whose turns cannot all be read leaves those that went on already to the next who opens it', async (t) => {
  const { store, id, turnIds } = await leftTurns();
  const events = store.events.bind(store);
  let reads = 0;
  store.events = (query) => {
    reads += 1;
    if (reads === 2) return Promise.reject(new Problem('store-unavailable', 'The store is away.', { retryAfterSeconds: 1 }));
    return events(query);
  };
  const trace = newTrace();
  const { sessions } = registry(t, store, trace);
  await assert.rejects(sessions.get('', id), { code: 'store-unavailable' });
  assert.equal(reads, 2);
  const session = await sessions.get('', id);
  await session.turns.idle();
  for (const turnId of turnIds) {
    const { turn } = await readTurn(session, turnId);
    assert.deepEqual([turn.status, turn.calls.map(({ outcome }) => outcome)], ['completed', ['ok']]);
  }
});

test('a service that drains takes nothing over any more, whatever it was about to', async (t) => {
  const { store, id } = await leftTurns();
  const trace = newTrace();
  const { sessions, parts, reported } = registry(t, store, trace);
  const [read, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const row = store.session.bind(store);
  store.session = async (sessionId) => {
    read.resolve();
    await goOn.promise;
    return row(sessionId);
  };
  const recovering = sessions.recover();
  await read.promise;
  await sessions.drain(60_000);
  goOn.resolve();
  await recovering;
  assert.equal(sessions.openCount, 0);
  assert.deepEqual([trace.started, reported], [[], []]);
  assert.equal(await parts.leases.holder(id), null);
});
