// What clients are told is in the log by then.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Commit, Policy, Store } from '../../src/contract/index.ts';
import { submitMessage } from '../../src/sessions/input/submit.ts';
import { listTurns, readTurn } from '../../src/sessions/turn/turn-history.ts';
import { settle } from '../support/run-engine.ts';
import { newTrace } from '../support/test-tools.ts';
import { memoryStore } from '../store/memory-store.ts';
import { options, registry, work } from './plain-registry.ts';

/** Holds back the commits that `held` accepts until it is let go. */
function holding(store: Store, held: (commit: Commit) => boolean): () => void {
  const commit = store.commit.bind(store);
  const gate = Promise.withResolvers<void>();
  store.commit = async (one) => {
    if (held(one)) await gate.promise;
    return commit(one);
  };
  return gate.resolve;
}

describe('a client is told', () => {
  test('of a turn that it need not wait for once the turn is kept', async (t) => {
    const store = memoryStore();
    const { sessions } = registry(t, store);
    const session = await sessions.create('', options);
    const letGo = holding(store, () => true);
    const submission = await submitMessage(session, 'anthropic', [work('a')]);
    assert.ok(submission.kind === 'live');
    await settle();
    assert.equal(submission.turn.record.status, 'running');
    let told = false;
    const kept = session.keepQueued(submission.turn).then(() => (told = true));
    await settle();
    assert.equal(told, false);
    letGo();
    await kept;
    assert.notEqual(await store.turn(session.id, submission.turn.id), null);
    await submission.turn.done;
  });

  test('that a turn has ended, and of its messages, once its end is kept', async (t) => {
    const store = memoryStore();
    const { sessions } = registry(t, store);
    const session = await sessions.create('', options);
    const letGo = holding(store, ({ turn }) => turn?.open === false);
    const submission = await submitMessage(session, 'anthropic', [work('a')]);
    assert.ok(submission.kind === 'live');
    while (submission.turn.record.status !== 'completed') await settle();
    const told: unknown[] = [];
    const reading = readTurn(session, submission.turn.id).then(({ messages }) => told.push(messages.length));
    const listing = listTurns(session, { limit: 10 }).then(({ data }) => told.push(data[0]?.status));
    await settle();
    assert.deepEqual(told, []);
    letGo();
    await Promise.all([reading, listing]);
    assert.deepEqual(new Set(told), new Set([1, 'completed']));
  });

  test('to answer again, when the session is left to another node before its answer came', async (t) => {
    const policy: Policy = { decide: () => ({ behavior: 'ask', decided_by: 'test', reason: 'It is asked.' }) };
    const { sessions } = registry(t, memoryStore(), newTrace(), policy);
    const session = await sessions.create('', options);
    const submission = await submitMessage(session, 'anthropic', [work('a')]);
    assert.ok(submission.kind === 'live');
    await submission.turn.actionNeeded();
    const [approval] = session.approvals.pending;
    assert.ok(approval);
    await session.suspend('The service is shutting down.');
    assert.throws(() => session.approvals.claim([approval.id]), { code: 'draining' });
  });
});
