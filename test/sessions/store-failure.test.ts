// What cannot be kept is not done, not sent, and not pretended.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Problem, type Policy, type Store, type ToolUse } from '../../src/contract/index.ts';
import { submitMessage } from '../../src/sessions/input/submit.ts';
import { answerApprovals } from '../../src/sessions/people/answer-approvals.ts';
import { SessionOptions } from '../../src/sessions/settings/session-options.ts';
import type { Turn } from '../../src/sessions/turn/turn.ts';
import { readTurn } from '../../src/sessions/turn/turn-history.ts';
import { plainToolbox } from '../support/plain-toolbox.ts';
import { newTrace } from '../support/test-tools.ts';
import { memoryStore } from '../store/memory-store.ts';
import { options, registry, settled, work } from './plain-registry.ts';

/** Asks before calls that are labelled so. */
const asks: Policy = {
  decide: ({ input }) =>
    (input as { label: string }).label === 'ask'
      ? { behavior: 'ask', decided_by: 'test', reason: 'It is labelled so.' }
      : { behavior: 'allow', decided_by: 'test' },
};

describe('a store that fails', () => {
  test('in the middle of a turn stops the turn before its effect, and the next request goes on from what was kept', async (t) => {
    const store = memoryStore();
    const trace = newTrace();
    const { sessions } = registry(t, store, trace);
    const { id, log } = await sessions.create('', options);
    const before = await settled(sessions, id, [work('a')]);
    assert.equal(before.turn.status, 'completed');
    const commit = store.commit.bind(store);
    store.commit = () => Promise.reject(new Problem('store-unavailable', 'The disk is full.', { retryAfterSeconds: 1 }));
    await assert.rejects(settled(sessions, id, [work('b', { safe: false })]), { code: 'store-unavailable' });
    assert.deepEqual(trace.started, ['a']);
    store.commit = commit;
    const after = await settled(sessions, id, [work('b', { safe: false })]);
    assert.deepEqual([after.turn.status, trace.started], ['completed', ['a', 'b']]);
    const events = await store.events({ sessionId: id, after: 0, limit: 100 });
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    assert.equal(log.failed, true);
  });

  test('lets go of the readers of the session, and the old object takes nothing any more', async (t) => {
    const store = memoryStore();
    const { sessions } = registry(t, store);
    const session = await sessions.create('', options);
    const reading = (async () => {
      for await (const _ of session.log.read({ after: 0, follow: true, signal: new AbortController().signal }));
    })();
    store.commit = () => Promise.reject(new Error('gone'));
    const turns = await Promise.allSettled([settled(sessions, session.id, [work('a')]), settled(sessions, session.id, [work('b')])]);
    for (const { status } of turns) assert.equal(status, 'rejected');
    await reading;
    assert.throws(() => session.startTurn('anthropic', []), { code: 'store-unavailable' });
  });
});

describe('one message', () => {
  test('sent many times in one moment runs once, also right after the session was opened again', async (t) => {
    const store = memoryStore();
    const trace = newTrace();
    const { sessions } = registry(t, store, trace);
    const { id } = await sessions.create('', options);
    const calls = [work('a', { ms: 20, safe: false }), work('b')];
    const replies = await Promise.all(Array.from({ length: 8 }, () => settled(sessions, id, calls)));
    assert.equal(new Set(replies.map(({ turn }) => turn.id)).size, 1);
    const again = registry(t, store, trace);
    const late = await Promise.all(Array.from({ length: 8 }, () => settled(again.sessions, id, calls)));
    assert.equal(new Set([...replies, ...late].map(({ turn }) => turn.id)).size, 1);
    const fresh = [work('c', { safe: false })];
    const third = registry(t, store, trace);
    const newest = await Promise.all(Array.from({ length: 8 }, () => settled(third.sessions, id, fresh)));
    assert.equal(new Set(newest.map(({ turn }) => turn.id)).size, 1);
    assert.deepEqual(trace.started, ['a', 'b', 'c']);
  });
});

describe('after a crash', () => {
  /** What a service leaves behind that was killed after so many commits. */
  async function killedAfter(t: TestContext, commits: number, calls: ToolUse[]): Promise<{ store: Store; id: string }> {
    const store = memoryStore();
    const { sessions } = registry(null, store);
    const { id } = await sessions.create('', options);
    const commit = store.commit.bind(store);
    let left = commits;
    const dead = Promise.withResolvers<never>();
    dead.promise.catch(() => {});
    t.after(() => dead.reject(new Error('killed')));
    store.commit = (request) => (left-- > 0 ? commit(request) : dead.promise);
    void settled(sessions, id, calls).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 60));
    store.commit = commit;
    return { store, id };
  }

  test('at any point of a turn, every call of a posted message has exactly one result, in order', async (t) => {
    const calls = [work('a'), work('b'), work('w', { safe: false }), work('c')];
    for (let commits = 1; commits < 8; commits += 1) {
      const { store, id } = await killedAfter(t, commits, calls);
      const { sessions } = registry(t, store);
      await sessions.recover();
      const { messages, turn } = await settled(sessions, id, calls);
      const [message] = messages as { content: { tool_use_id: string }[] }[];
      assert.deepEqual(
        message?.content.map(({ tool_use_id }) => tool_use_id),
        ['a', 'b', 'w', 'c'],
        `after ${commits} commits`,
      );
      const events = await store.events({ sessionId: id, after: 0, limit: 100 });
      const released = events.map(({ json }) => JSON.parse(json)).filter(({ type }) => type === 'tool_result');
      assert.deepEqual(
        released.map(({ tool_use_id }) => tool_use_id),
        ['a', 'b', 'w', 'c'],
      );
      assert.ok(turn.created_at.startsWith('20'));
    }
  });

  test('a store that is away for a moment costs no turn: whoever looks next goes on with it', async (t) => {
    const calls = [work('a'), work('w', { safe: false })];
    const { store, id } = await killedAfter(t, 1, calls);
    const openTurns = store.openTurns.bind(store);
    store.openTurns = () => {
      store.openTurns = openTurns;
      return Promise.reject(new Problem('store-unavailable', 'The store is away.', { retryAfterSeconds: 1 }));
    };
    const { sessions, reported } = registry(t, store);
    await sessions.recover();
    assert.equal(reported.length, 1);
    const { turn } = await settled(sessions, id, calls);
    assert.deepEqual(
      turn.calls.map(({ outcome }) => outcome),
      ['ok', 'ok'],
    );
  });

  test('a turn that was promised while it waited is still there', async (t) => {
    const store = memoryStore();
    const dying = { ...store };
    const first = registry(null, dying);
    const session = await first.sessions.create('', options);
    const running = session.startTurn('anthropic', [work('a', { ms: 50 })]);
    t.after(() => running.abort('The service is gone.'));
    const waiting = session.startTurn('anthropic', [work('b')]);
    await session.keepQueued(waiting);
    dying.commit = () => new Promise(() => {});
    const { sessions } = registry(t, store);
    await sessions.recover();
    const reopened = await sessions.get('', session.id);
    await reopened.turns.idle();
    const { turn } = await readTurn(reopened, waiting.id);
    assert.deepEqual(
      turn.calls.map(({ tool_use_id, outcome }) => `${tool_use_id} ${outcome}`),
      ['b ok'],
    );
  });

  test('a question to people is asked still, under its id and until its time, and its turn goes on with the answer', async (t) => {
    const store = memoryStore();
    const dying = { ...store };
    const first = registry(null, dying, newTrace(), asks);
    const session = await first.sessions.create('', options);
    const calls = [work('a'), work('b', { label: 'ask' }), work('w', { safe: false })];
    const { turn: before } = (await submitMessage(session, 'anthropic', calls)) as { turn: Turn };
    await before.actionNeeded();
    const [asked] = session.approvals.pending;
    dying.commit = () => new Promise(() => {});

    const trace = newTrace();
    const { sessions } = registry(t, store, trace, asks);
    await sessions.recover();
    const reopened = await sessions.get('', session.id);
    const turn = reopened.turns.find(before.id);
    await turn?.actionNeeded();
    assert.deepEqual(reopened.approvals.pending, [asked]);
    assert.deepEqual(turn?.progress().pending, [{ type: 'approval', ...asked }]);
    await answerApprovals(reopened, [{ approvalId: asked?.id ?? '', behavior: 'allow' }]);
    await reopened.turns.idle();
    const ended = await readTurn(reopened, before.id);
    assert.deepEqual(
      ended.turn.calls.map(({ tool_use_id, outcome }) => `${tool_use_id} ${outcome}`),
      ['a ok', 'b ok', 'w ok'],
    );
    assert.deepEqual(trace.started, ['b', 'w']);
    const events = (await store.events({ sessionId: session.id, after: 0, limit: 100 })).map(({ json }) => JSON.parse(json).type as string);
    assert.equal(events.filter((type) => type === 'approval_requested').length, 1);
    assert.equal(events.filter((type) => type === 'call_queued').length, 3);
  });

  test('a drain leaves a turn that waits for people to the next start', async (t) => {
    const store = memoryStore();
    const first = registry(null, store, newTrace(), asks);
    const session = await first.sessions.create('', options);
    const { turn: before } = (await submitMessage(session, 'anthropic', [work('b', { label: 'ask' })])) as { turn: Turn };
    await before.actionNeeded();
    await first.sessions.drain(60_000);
    const { sessions } = registry(t, store, newTrace(), asks);
    await sessions.recover();
    const reopened = await sessions.get('', session.id);
    await reopened.turns.find(before.id)?.actionNeeded();
    await answerApprovals(reopened, [{ approvalId: reopened.approvals.pending[0]?.id ?? '', behavior: 'deny' }]);
    await reopened.turns.idle();
    assert.equal((await readTurn(reopened, before.id)).turn.calls[0]?.outcome, 'denied');
  });
});

describe('a session that cannot be opened', () => {
  test('keeps neither the start nor the sweep from going on, and can be deleted', async (t) => {
    const store = memoryStore();
    const first = registry(t, store);
    const stuck = await first.sessions.create('', options);
    await stuck.change((settings) => ({ ...settings, permissions: { ...settings.permissions, additional_dirs: [] } }));
    const other = await first.sessions.create('', SessionOptions.parse({ ttl_ms: 1000 }));
    const row = await store.session(stuck.id);
    const document = JSON.parse(row?.document ?? '{}');
    document.settings.permissions.additional_dirs = ['/gone'];
    if (row !== null) await store.commit({ sessionId: stuck.id, session: { ...row, document: JSON.stringify(document) } });
    const { sessions } = registry(t, store);
    await sessions.recover();
    await assert.rejects(sessions.get('', stuck.id), { code: 'forbidden' });
    await sessions.sweep(Date.now() + 5000);
    assert.equal(await store.session(other.id), null);
    await sessions.remove('', stuck.id);
    await assert.rejects(sessions.get('', stuck.id), { code: 'session-not-found' });
  });

  test('a directory that is not allowed is refused by a change, and the session stays as it was', async (t) => {
    const { sessions } = registry(t, memoryStore());
    const session = await sessions.create('', options);
    await assert.rejects(
      session.change((settings) => ({ ...settings, permissions: { ...settings.permissions, additional_dirs: ['/gone'] } })),
      { code: 'forbidden' },
    );
    assert.deepEqual(session.settings.permissions.additional_dirs, []);
  });
});

test('a session that is being let go of is opened anew for whoever asks meanwhile', async (t) => {
  const { sessions, parts } = registry(t, memoryStore());
  const closing = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const toolbox = plainToolbox([]);
  parts.toolboxFor = () => ({
    ...toolbox,
    close: () => (closing.resolve(), closed.promise),
  });
  const { id } = await sessions.create('', options);
  const swept = sessions.sweep(Date.now() + 700_000);
  await closing.promise;
  const asked = sessions.get('', id);
  closed.resolve();
  assert.equal((await asked).closed, false);
  await swept;
  assert.equal(await sessions.get('', id), await asked);
});

test('a session that is being deleted is there for nobody', async (t) => {
  const store = memoryStore();
  const gate = Promise.withResolvers<void>();
  const { sessions } = registry(t, store);
  const { id } = await sessions.create('', options);
  const remove = store.removeSession.bind(store);
  store.removeSession = async (sessionId) => {
    await gate.promise;
    await remove(sessionId);
  };
  const removing = sessions.remove('', id);
  await assert.rejects(sessions.get('', id), { code: 'session-not-found' });
  await assert.rejects(sessions.remove('', id), { code: 'session-not-found' });
  gate.resolve();
  await removing;
  await assert.rejects(sessions.get('', id), { code: 'session-not-found' });
});
