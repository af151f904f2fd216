import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Commit } from '../../../src/contract/index.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { callRow, eventRow, eventRows, sessionRow, turnRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

describe('commits of a session that are asked for at once', () => {
  test('take one way to Redis for all of a turn, and each finds what those before it wrote', async (t) => {
    const { store } = await openNode(t, server.url);
    await store.commit({ sessionId: 'ses_1', session: sessionRow('ses_1') });
    const ranBefore = await scriptsRun();
    const turn = turnRow('ses_1', 1);
    await Promise.all([
      store.commit({ sessionId: 'ses_1', events: eventRows(1, 2), turn: { ...turn, open: true } }),
      store.commit({ sessionId: 'ses_1', events: [eventRow(3)], calls: [callRow(1, 'toolu_1')] }),
      store.commit({ sessionId: 'ses_1', events: [eventRow(4)], calls: [callRow(1, 'toolu_1')], turn: { ...turn, open: false } }),
    ]);
    assert.equal((await scriptsRun()) - ranBefore, 1);
    assert.deepEqual(await store.events({ sessionId: 'ses_1', after: 0, limit: 10 }), eventRows(1, 4));
    assert.deepEqual(await store.openTurns('ses_1'), []);
    assert.equal((await store.calls('ses_1', turn.id)).length, 1);
  });

  test('take two ways in the middle of a turn: the first goes at once, and what comes while it is on its way goes as one', async (t) => {
    const { store } = await openNode(t, server.url);
    await store.commit({ sessionId: 'ses_4', session: sessionRow('ses_4'), turn: turnRow('ses_4', 1) });
    const ranBefore = await scriptsRun();
    await Promise.all(eventRows(1, 5).map((event) => store.commit({ sessionId: 'ses_4', events: [event] })));
    assert.equal((await scriptsRun()) - ranBefore, 2);
    assert.deepEqual(await store.events({ sessionId: 'ses_4', after: 0, limit: 10 }), eventRows(1, 5));
  });

  test('that cannot be written cost those beside them nothing', async (t) => {
    const { store } = await openNode(t, server.url);
    await store.commit({ sessionId: 'ses_2', session: sessionRow('ses_2') });
    const commits: Commit[] = [
      { sessionId: 'ses_2', events: [eventRow(1)] },
      { sessionId: 'ses_2', calls: [callRow(7, 'toolu_1')] },
      { sessionId: 'ses_2', events: [eventRow(9)] },
      { sessionId: 'ses_2', events: [eventRow(2)] },
    ];
    const written = await Promise.allSettled(commits.map((commit) => store.commit(commit)));
    assert.deepEqual(
      written.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await store.range('ses_2'), { first: 1, last: 2 });
  });

  test('keep their place before and after what removes or trims', async (t) => {
    const { store } = await openNode(t, server.url);
    const row = sessionRow('ses_3');
    await Promise.all([
      store.commit({ sessionId: 'ses_3', session: row, events: eventRows(1, 3) }),
      store.commit({ sessionId: 'ses_3', events: [eventRow(4)] }),
      store.trim('ses_3', { seq: 4, ordinal: 0 }),
      store.commit({ sessionId: 'ses_3', events: [eventRow(5)] }),
    ]);
    assert.deepEqual(await store.range('ses_3'), { first: 4, last: 5 });
    await Promise.all([
      store.commit({ sessionId: 'ses_3', events: [eventRow(6)] }),
      store.removeSession('ses_3'),
      store.commit({ sessionId: 'ses_3', session: row, events: [eventRow(1)] }),
    ]);
    assert.deepEqual(await store.range('ses_3'), { first: 1, last: 1 });
  });
});

async function scriptsRun(): Promise<number> {
  const info = await (await server.client()).info('commandstats');
  return [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
