import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallRow, Store } from '../../../src/contract/index.ts';
import type { OpenStore } from '../open-store.ts';
import { allPages, callRow, sessionRow, turnId, turnRow } from '../rows.ts';

/** How turns and their calls are kept. */
export function turnPromises(open: OpenStore): void {
  describe('turns and calls', () => {
    test('turns are listed newest first, with no gap and no double, also while new ones begin', async (t) => {
      const { store } = await open(t);
      await withTurns(store, 7);
      assert.deepEqual(await ordinals(store, 7), [7, 6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await ordinals(store, 2), [7, 6, 5, 4, 3, 2, 1]);
      const first = await store.turns({ sessionId: 'ses_a', limit: 3 });
      await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 8) });
      const second = await store.turns({ sessionId: 'ses_a', limit: 10, cursor: first.nextCursor ?? '' });
      assert.deepEqual(
        second.rows.map((turn) => turn.ordinal),
        [4, 3, 2, 1],
      );
      assert.equal(second.nextCursor, null);
    });

    test('the latest turn is the one of the highest ordinal, whatever was written last', async (t) => {
      const { store } = await open(t);
      assert.equal(await store.latestTurn('ses_a'), null);
      await withTurns(store, 12);
      await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 9, { document: '"again"' }) });
      assert.deepEqual(await store.latestTurn('ses_a'), turnRow('ses_a', 12));
    });

    test('a turn is replaced whole by its next row, keeps its calls, and is open until its row says otherwise', async (t) => {
      const { store } = await open(t);
      await withTurns(store, 3);
      await store.commit({ sessionId: 'ses_a', calls: [callRow(2, 'toolu_1')] });
      const ended = turnRow('ses_a', 2, { open: false, document: '{"status":"completed"}' });
      await store.commit({ sessionId: 'ses_a', turn: ended });
      assert.deepEqual(await store.turn('ses_a', turnId(2)), ended);
      assert.deepEqual(await store.openTurns('ses_a'), [turnRow('ses_a', 1), turnRow('ses_a', 3)]);
      assert.deepEqual(await store.calls('ses_a', turnId(2)), [callRow(2, 'toolu_1')]);
      assert.equal(await store.turn('ses_b', turnId(2)), null);
    });

    test('sessions with unfinished work are found without knowing whose they are', async (t) => {
      const { store } = await open(t);
      await withTurns(store, 2);
      assert.deepEqual(await store.sessionsWithOpenTurns(10), ['ses_a']);
      assert.deepEqual(await store.sessionsWithOpenTurns(0), []);
      for (const ordinal of [1, 2]) await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', ordinal, { open: false }) });
      assert.deepEqual(await store.sessionsWithOpenTurns(10), []);
    });

    test('calls come in call order, whatever order they were written in', async (t) => {
      const { store } = await open(t);
      await withTurns(store, 1);
      const calls = Array.from({ length: 12 }, (_, index) => callRow(1, `toolu_${11 - index}`, { index }));
      await store.commit({ sessionId: 'ses_a', calls: calls.toReversed() });
      await store.commit({ sessionId: 'ses_a', calls: calls.slice(4, 6) });
      assert.deepEqual(await store.calls('ses_a', turnId(1)), calls);
    });

    test('a call written again is replaced whole', async (t) => {
      const { store, reopen } = await open(t);
      await withTurns(store, 1);
      const steps: CallRow[] = [
        callRow(1, 'toolu_1', { name: 'Bash', input: '{"command":"make"}' }),
        callRow(1, 'toolu_1', { name: 'Bash', input: '{"command":"make all"}' }),
        callRow(1, 'toolu_1', {
          name: 'Bash',
          input: '{"command":"make"}',
          result: { outcome: 'ok', isError: false, content: '', view: { title: 'make' } },
        }),
      ];
      for (const call of steps) {
        await store.commit({ sessionId: 'ses_a', calls: [call] });
        assert.deepEqual(await store.calls('ses_a', turnId(1)), [call]);
      }
      const again = await reopen();
      assert.deepEqual(await again.calls('ses_a', turnId(1)), steps.slice(2));
      await again.commit({ sessionId: 'ses_a', calls: steps.slice(0, 1) });
      assert.deepEqual(await again.calls('ses_a', turnId(1)), steps.slice(0, 1));
    });

    test('the same tool_use id in two turns is two calls', async (t) => {
      const { store } = await open(t);
      await withTurns(store, 2);
      const [first, second] = [callRow(1, 'call_0'), callRow(2, 'call_0', { name: 'Grep' })];
      await store.commit({ sessionId: 'ses_a', calls: [first] });
      await store.commit({ sessionId: 'ses_a', calls: [second] });
      assert.deepEqual(await store.calls('ses_a', turnId(1)), [first]);
      assert.deepEqual(await store.calls('ses_a', turnId(2)), [second]);
    });

    test('used tool_use ids are told exactly, over all turns of one session and no other', async (t) => {
      const { store } = await open(t);
      await withTurns(store, 2);
      await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b'), turn: turnRow('ses_b', 1), calls: [callRow(1, 'other')] });
      const used = ['toolu_1', '__proto__', 'Ä', '\ud800', '\ud801', 'a\u0000b', ''];
      await store.commit({ sessionId: 'ses_a', calls: used.slice(0, 3).map((id) => callRow(1, id)) });
      await store.commit({ sessionId: 'ses_a', calls: used.slice(3).map((id) => callRow(2, id)) });
      const asked = ['constructor', ...used, 'toolu_', 'TOOLU_1', 'A\u0308', '\ud802', '\ufffd', 'a', 'other'];
      assert.deepEqual(await store.usedIds('ses_a', asked), used);
      assert.deepEqual(await store.usedIds('ses_a', []), []);
      assert.deepEqual(await store.usedIds('ses_unknown', asked), []);
    });

    test('a call keeps what a model may send and a tool may answer: megabytes, blocks, lone surrogates, __proto__ keys', async (t) => {
      const { store, reopen } = await open(t);
      await withTurns(store, 1);
      const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'iVBO'.repeat(500_000) } };
      const calls = [
        callRow(1, 'id \ud800', {
          name: 'na\udc00me\u0000',
          input: '{"__proto__":{"a":1},"b":"\\ud800"}',
          result: {
            outcome: 'ok',
            isError: false,
            content: 'half \ud83d, NUL \u0000, \u2028 '.repeat(100_000),
            view: { title: '漢', body: { kind: 'table', columns: ['a'], rows: [['\udfff']] } },
          },
        }),
        callRow(1, 'toolu_2', {
          index: 1,
          result: { outcome: 'timed_out', isError: true, content: [{ type: 'text', text: '' }, image], view: { title: '' } },
        }),
      ];
      await store.commit({ sessionId: 'ses_a', calls });
      assert.deepEqual(await (await reopen()).calls('ses_a', turnId(1)), calls);
    });
  });
}

async function withTurns(store: Store, count: number): Promise<void> {
  await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
  for (let ordinal = 1; ordinal <= count; ordinal += 1) await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', ordinal) });
}

async function ordinals(store: Store, limit: number): Promise<number[]> {
  return (await allPages((cursor) => store.turns({ sessionId: 'ses_a', limit, ...cursor }))).map((turn) => turn.ordinal);
}
