import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenStore } from '../open-store.ts';
import { callRow, eventRow, eventRows, everythingOf, sessionRow, turnRow } from '../rows.ts';

/** What a commit that resolved, or was refused, stands for. */
export function commitPromises(open: OpenStore): void {
  describe('commits', () => {
    test('what is committed survives a reopen, to the last field', async (t) => {
      const { store, reopen } = await open(t);
      const result = {
        outcome: 'tool_error' as const,
        isError: true,
        content: [{ type: 'text' as const, text: 'no' }],
        view: { title: 'Read', subtitle: 'failed' },
      };
      const call = callRow(1, 'toolu_1', { result });
      const turn = turnRow('ses_a', 1, { document: '{"format":"anthropic"}' });
      const session = sessionRow('ses_a', { document: '{"metadata":{"ticket":"A-1"}}' });
      await store.commit({ sessionId: 'ses_a', session, turn, calls: [call], events: eventRows(1, 3) });

      assert.deepEqual(await everythingOf(await reopen(), 'ses_a'), {
        session,
        turns: [turn],
        latestTurn: turn,
        openTurns: [turn],
        calls: [[call]],
        range: { first: 1, last: 3 },
        events: eventRows(1, 3),
      });
    });

    test('a refused commit leaves nothing behind, also not its valid parts', async (t) => {
      const { store, reopen } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 2) });
      const before = await everythingOf(store, 'ses_a');
      const refused = {
        sessionId: 'ses_a',
        session: sessionRow('ses_a', { document: '"changed"' }),
        turn: turnRow('ses_a', 1),
        calls: [callRow(1, 'toolu_1')],
        events: [eventRow(3), eventRow(5)],
      };
      await assert.rejects(store.commit(refused));
      assert.deepEqual(await everythingOf(store, 'ses_a'), before);
      assert.deepEqual(await store.usedIds('ses_a', ['toolu_1']), []);
      assert.deepEqual(await everythingOf(await reopen(), 'ses_a'), before);
    });

    for (const [what, events] of [
      ['that skips a seq', [eventRow(4)]],
      ['that repeats a seq', [eventRow(2)]],
      ['that runs backwards', [eventRow(3), eventRow(2)]],
      ['with a hole inside', [eventRow(3), eventRow(4), eventRow(6)]],
    ] as const) {
      test(`a commit ${what} is refused, and the log goes on where it was`, async (t) => {
        const { store } = await open(t);
        await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 2) });
        await assert.rejects(store.commit({ sessionId: 'ses_a', events }));
        assert.deepEqual(await store.range('ses_a'), { first: 1, last: 2 });
        await store.commit({ sessionId: 'ses_a', events: [eventRow(3)] });
        assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 10 }), eventRows(1, 3));
      });
    }

    test('a commit to a session that is not there, or is removed, is refused', async (t) => {
      const { store } = await open(t);
      const late = { sessionId: 'ses_a', events: [eventRow(1)] };
      await assert.rejects(store.commit(late));
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
      await store.removeSession('ses_a');
      await assert.rejects(store.commit(late));
      await assert.rejects(store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', 1) }));
      assert.deepEqual(await store.range('ses_a'), { first: 1, last: 0 });
    });

    test('calls of a turn that is not there, and rows of another session, are refused', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
      await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b'), turn: turnRow('ses_b', 1) });
      await assert.rejects(store.commit({ sessionId: 'ses_a', calls: [callRow(1, 'toolu_1')] }));
      await assert.rejects(store.commit({ sessionId: 'ses_a', turn: turnRow('ses_b', 2) }));
      await assert.rejects(store.commit({ sessionId: 'ses_a', session: sessionRow('ses_b', { owner: 'mallory' }) }));
      assert.deepEqual(await store.turn('ses_b', 'turn_2'), null);
      assert.equal((await store.session('ses_b'))?.owner, 'anna');
    });

    test('commits of one session asked for at once are written in the order of asking', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
      const finished: number[] = [];
      await Promise.all(
        eventRows(1, 200).map(async (event) => {
          await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a', { document: `${event.seq}` }), events: [event] });
          finished.push(event.seq);
        }),
      );
      assert.deepEqual(
        finished,
        eventRows(1, 200).map((event) => event.seq),
      );
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 1_000 }), eventRows(1, 200));
      assert.equal((await store.session('ses_a'))?.document, '200');
    });

    test('a removal and a trim keep their place among commits asked for at once', async (t) => {
      const { store } = await open(t);
      const made = { sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 3) };
      await Promise.all([
        store.commit(made),
        store.removeSession('ses_a'),
        store.commit(made),
        store.trim('ses_a', { seq: 3, ordinal: 1 }),
        store.commit({ sessionId: 'ses_a', events: eventRows(4, 2) }),
      ]);
      assert.deepEqual(await store.range('ses_a'), { first: 3, last: 5 });
    });

    test('1,000 commits at once over 50 sessions: the bad ones fail, each of the others is there', async (t) => {
      const { store, reopen } = await open(t);
      const ids = Array.from({ length: 50 }, (_, index) => `ses_${index}`);
      await Promise.all(ids.map((id) => store.commit({ sessionId: id, session: sessionRow(id) })));
      const asked = Array.from({ length: 1_000 }, (_, index) => ({ id: ids[index % 50] ?? '', seq: Math.floor(index / 50) + 1 }));
      const settled = await Promise.allSettled(
        asked.flatMap(({ id, seq }) => [
          store.commit({ sessionId: id, events: [eventRow(seq)] }),
          ...(seq % 5 === 0 ? [store.commit({ sessionId: id, events: [eventRow(seq + 2)] })] : []),
        ]),
      );
      assert.equal(settled.filter((one) => one.status === 'rejected').length, 200);
      const again = await reopen();
      for (const id of ids) assert.deepEqual(await again.events({ sessionId: id, after: 0, limit: 100 }), eventRows(1, 20));
    });

    test('a read after a commit sees it', async (t) => {
      const { store } = await open(t);
      for (const seq of [1, 2, 3]) {
        await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a', { document: `${seq}` }), events: [eventRow(seq)] });
        assert.equal((await store.session('ses_a'))?.document, `${seq}`);
        assert.equal((await store.range('ses_a')).last, seq);
      }
    });
  });
}
