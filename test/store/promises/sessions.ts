import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem, type Commit, type SessionRow, type Store } from '../../../src/contract/index.ts';
import type { OpenStore } from '../open-store.ts';
import { allPages, callRow, eventRows, everythingOf, sessionRow, turnRow } from '../rows.ts';

/** How sessions are listed, counted, expired and removed. */
export function sessionPromises(open: OpenStore): void {
  describe('sessions', () => {
    test('a session is replaced whole by its next row, and keeps its turns, calls and events', async (t) => {
      const { store } = await open(t);
      const row = sessionRow('ses_a');
      await store.commit({
        sessionId: 'ses_a',
        session: row,
        turn: turnRow('ses_a', 1),
        calls: [callRow(1, 'toolu_1')],
        events: eventRows(1, 2),
      });
      const before = await everythingOf(store, 'ses_a');
      const changed = { ...row, expiresAt: 5_000, document: '{"__proto__":1}' };
      await store.commit({ sessionId: 'ses_a', session: changed });
      assert.deepEqual(await everythingOf(store, 'ses_a'), { ...before, session: changed });
      assert.equal(await store.session('ses_unknown'), null);
    });

    test('pages go newest first, and those of one moment by id, with no gap and no double at any page size', async (t) => {
      const { store } = await open(t);
      await fill(store, [
        sessionRow('ses_c', { createdAt: 2_000 }),
        sessionRow('ses_a', { createdAt: 1_000 }),
        sessionRow('ses_e', { createdAt: 3_000 }),
        sessionRow('ses_b', { createdAt: 2_000 }),
        sessionRow('ses_d', { createdAt: 2_000 }),
      ]);
      for (const limit of [1, 2, 3, 5, 100]) {
        assert.deepEqual(await list(store, 'anna', limit), ['ses_e', 'ses_d', 'ses_c', 'ses_b', 'ses_a'], `pages of ${limit}`);
      }
      const last = await store.sessions({ owner: 'anna', limit: 5 });
      assert.equal(last.nextCursor, null);
    });

    test('sessions that come and go while a client pages move none of the others', async (t) => {
      const { store } = await open(t);
      const rows = Array.from({ length: 9 }, (_, index) => sessionRow(`ses_${index}`, { createdAt: 1_000 + index }));
      await fill(store, rows);
      const seen: string[] = [];
      let cursor: string | null | undefined;
      for (let round = 0; cursor !== null; round += 1) {
        const page = await store.sessions({ owner: 'anna', limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.rows.map((row) => row.id));
        cursor = page.nextCursor;
        await fill(store, [sessionRow(`ses_new_${round}`, { createdAt: 2_000 + round })]);
        // The row that the cursor points at goes too.
        await store.removeSession(page.rows.at(-1)?.id ?? '');
      }
      assert.deepEqual(seen, rows.map((row) => row.id).toReversed());
    });

    test('what is not a cursor of the list is an invalid request', async (t) => {
      const { store } = await open(t);
      await fill(store, [sessionRow('ses_a'), sessionRow('ses_b')]);
      await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1) });
      await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 2) });
      const foreign = (await store.turns({ sessionId: 'ses_a', limit: 1 })).nextCursor;
      assert.ok(foreign);
      for (const cursor of ['', 'x', '!!!', 'bnVsbA', 'W10', 'WyJhIiwxXQ', foreign]) {
        await assert.rejects(store.sessions({ owner: 'anna', limit: 1, cursor }), isInvalidRequest, cursor);
      }
      const own = (await store.sessions({ owner: 'anna', limit: 1 })).nextCursor ?? '';
      await assert.rejects(store.turns({ sessionId: 'ses_a', limit: 1, cursor: own }), isInvalidRequest);
    });

    test('an owner sees and counts only own sessions; the owner without a name is one too', async (t) => {
      const { store } = await open(t);
      await fill(store, [
        sessionRow('ses_a'),
        sessionRow('ses_b', { owner: 'ben' }),
        sessionRow('ses_d', { owner: '' }),
        sessionRow('ses_e', { owner: '__proto__' }),
      ]);
      for (const [owner, ids] of [
        ['anna', ['ses_a']],
        ['ben', ['ses_b']],
        ['', ['ses_d']],
        ['__proto__', ['ses_e']],
        ['an', []],
      ] as const) {
        assert.deepEqual(await list(store, owner, 10), ids);
        assert.equal(await store.countSessions(owner), ids.length);
      }
      await store.commit({ sessionId: 'ses_f', session: sessionRow('ses_f') });
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a', { document: '1' }) });
      await store.removeSession('ses_b');
      assert.deepEqual([await store.countSessions('anna'), await store.countSessions('ben')], [2, 0]);
    });

    test('a session expires the moment its time is over, the longest over first', async (t) => {
      const { store } = await open(t);
      await fill(store, [
        sessionRow('ses_a', { expiresAt: 3_000 }),
        sessionRow('ses_b', { expiresAt: 1_000 }),
        sessionRow('ses_c', { expiresAt: 2_000, owner: 'ben' }),
        sessionRow('ses_d', { expiresAt: 4_000 }),
      ]);
      assert.deepEqual(await store.expired(999, 10), []);
      assert.deepEqual(await store.expired(3_000, 10), ['ses_b', 'ses_c', 'ses_a']);
      assert.deepEqual(await store.expired(3_000, 2), ['ses_b', 'ses_c']);
      await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b', { expiresAt: 9_000 }) });
      assert.deepEqual(await store.expired(3_000, 10), ['ses_c', 'ses_a']);
    });

    test('a removed session leaves nothing, its neighbour keeps everything, and its id starts anew', async (t) => {
      const { store, reopen } = await open(t);
      await store.commit(fullSession('ses_b'));
      const neighbour = await everythingOf(store, 'ses_b');
      const nothing = await everythingOf(store, 'ses_a');
      await store.commit(fullSession('ses_a'));
      await store.trim('ses_a', { seq: 3, ordinal: 0 });
      await store.removeSession('ses_a');
      await store.removeSession('ses_a');
      const again = await reopen();
      assert.deepEqual(await everythingOf(again, 'ses_a'), nothing);
      assert.deepEqual(await again.calls('ses_a', 'turn_1'), []);
      assert.deepEqual(await again.usedIds('ses_a', ['toolu_1']), []);
      assert.deepEqual(await again.expired(10, 10), ['ses_b']);
      assert.deepEqual(await everythingOf(again, 'ses_b'), neighbour);
      await again.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 1) });
      assert.deepEqual(await again.range('ses_a'), { first: 1, last: 1 });
      assert.deepEqual(await again.turns({ sessionId: 'ses_a', limit: 10 }), { rows: [], nextCursor: null });
    });
  });
}

async function fill(store: Store, rows: readonly SessionRow[]): Promise<void> {
  await Promise.all(rows.map((session) => store.commit({ sessionId: session.id, session })));
}

async function list(store: Store, owner: string, limit: number): Promise<string[]> {
  return (await allPages((cursor) => store.sessions({ owner, limit, ...cursor }))).map((row) => row.id);
}

function isInvalidRequest(error: unknown): boolean {
  return error instanceof Problem && error.code === 'invalid-request';
}

/** A commit that leaves a row in every table. */
function fullSession(id: string): Commit {
  return {
    sessionId: id,
    session: sessionRow(id, { expiresAt: 10 }),
    turn: turnRow(id, 1),
    calls: [callRow(1, 'toolu_1')],
    events: eventRows(1, 5),
  };
}
