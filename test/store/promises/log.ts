import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenStore } from '../open-store.ts';
import { callRow, eventRow, eventRows, sessionRow, turnRow } from '../rows.ts';

/** How the event log of a session is read and trimmed. */
export function logPromises(open: OpenStore): void {
  describe('event log', () => {
    test('events come in order, after the seq asked for and at most as many as asked for', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 12) });
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 5 }), eventRows(1, 5));
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 8, limit: 3 }), eventRows(9, 3));
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 9, limit: 100 }), eventRows(10, 3));
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 12, limit: 100 }), []);
    });

    test('a commit of many large events is read from any of them on, and trimmed before any', async (t) => {
      const { store } = await open(t);
      const events = Array.from({ length: 150 }, (_, index) => eventRow(index + 1, 'y'.repeat(2_000)));
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events });
      for (const after of [0, 30, 31, 32, 33, 100, 149]) {
        assert.deepEqual(await store.events({ sessionId: 'ses_a', after, limit: 1_000 }), events.slice(after));
        assert.deepEqual(await store.events({ sessionId: 'ses_a', after, limit: 40 }), events.slice(after, after + 40));
      }
      await store.trim('ses_a', { seq: 78, ordinal: 0 });
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 1_000 }), events.slice(77));
    });

    test('each session has a log of its own', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: [eventRow(1, 'a')] });
      await store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b'), events: [eventRow(1, 'b'), eventRow(2, 'b')] });
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 10 }), [eventRow(1, 'a')]);
      assert.deepEqual(await store.range('ses_b'), { first: 1, last: 2 });
    });

    test('a log that nothing was written to is empty from 1 to 0', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
      assert.deepEqual(await store.range('ses_a'), { first: 1, last: 0 });
      assert.deepEqual(await store.range('ses_unknown'), { first: 1, last: 0 });
      assert.deepEqual(await store.events({ sessionId: 'ses_unknown', after: 0, limit: 10 }), []);
    });

    test('trimming drops the events below a seq, the range tells so, and the numbers go on', async (t) => {
      const { store, reopen } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 10) });
      await store.trim('ses_a', { seq: 4, ordinal: 0 });
      assert.deepEqual(await store.range('ses_a'), { first: 4, last: 10 });
      assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 100 }), eventRows(4, 7));
      await store.trim('ses_a', { seq: 2, ordinal: 0 });
      assert.deepEqual(await store.range('ses_a'), { first: 4, last: 10 });
      const again = await reopen();
      await again.commit({ sessionId: 'ses_a', session: sessionRow('ses_a', { document: '"later"' }), events: [eventRow(11)] });
      assert.deepEqual(await again.range('ses_a'), { first: 4, last: 11 });
    });

    test('a log trimmed to its end still knows its end: no seq is ever used again', async (t) => {
      const { store, reopen } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 5) });
      await store.trim('ses_a', { seq: 1_000, ordinal: 0 });
      assert.deepEqual(await store.range('ses_a'), { first: 6, last: 5 });
      const again = await reopen();
      await assert.rejects(again.commit({ sessionId: 'ses_a', events: [eventRow(1)] }));
      await again.commit({ sessionId: 'ses_a', events: [eventRow(6)] });
      assert.deepEqual(await again.range('ses_a'), { first: 6, last: 6 });
    });

    test('trimming drops the turns below an ordinal with their calls, and frees their tool_use ids', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
      for (const ordinal of [1, 2, 3]) {
        await store.commit({ sessionId: 'ses_a', turn: turnRow('ses_a', ordinal), calls: [callRow(ordinal, `toolu_${ordinal}`)] });
      }
      await store.trim('ses_a', { seq: 0, ordinal: 3 });
      assert.deepEqual((await store.turns({ sessionId: 'ses_a', limit: 10 })).rows, [turnRow('ses_a', 3)]);
      assert.equal(await store.turn('ses_a', 'turn_2'), null);
      assert.deepEqual(await store.calls('ses_a', 'turn_2'), []);
      assert.deepEqual(await store.usedIds('ses_a', ['toolu_1', 'toolu_2', 'toolu_3']), ['toolu_3']);
    });

    test('trimming touches no other session, and none that is not there', async (t) => {
      const { store } = await open(t);
      for (const id of ['ses_a', 'ses_b']) {
        await store.commit({ sessionId: id, session: sessionRow(id), turn: turnRow(id, 1), events: eventRows(1, 3) });
      }
      await store.trim('ses_a', { seq: 3, ordinal: 2 });
      await store.trim('ses_unknown', { seq: 3, ordinal: 2 });
      assert.deepEqual(await store.range('ses_b'), { first: 1, last: 3 });
      assert.deepEqual(await store.latestTurn('ses_b'), turnRow('ses_b', 1));
      assert.deepEqual(await store.range('ses_unknown'), { first: 1, last: 0 });
    });

    test('an event keeps every byte of its JSON: megabytes, any script, escaped lone surrogates, __proto__ keys', async (t) => {
      const { store, reopen } = await open(t);
      const events = [
        eventRow(1, 'ab'.repeat(2_000_000)),
        eventRow(2, 'žluť 漢字 🧑‍🚀 \u0000 \u2028'),
        eventRow(3, 'half \ud83d of a pair \udc00'),
        { seq: 4, json: '{"seq":4,"__proto__":{"polluted":true},"constructor":1}' },
        { seq: 5, json: ' {"seq" : 5, "b":1,"a":2.50e1} ' },
      ];
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events });
      assert.deepEqual(await (await reopen()).events({ sessionId: 'ses_a', after: 0, limit: 10 }), events);
    });
  });
}
