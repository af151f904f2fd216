// Commits of a session whose lease holds, when Redis goes away in the middle of them.
import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import type { Store } from '../../../src/contract/index.ts';
import { redisUnavailable } from '../../../src/store/redis/errors.ts';
import { openLink, type Link } from '../../../src/store/redis/link.ts';
import { SCRIPTS } from '../../../src/store/redis/scripts.ts';
import { redisStore } from '../../../src/store/redis/store.ts';
import { startRedis } from '../../support/redis.ts';
import { eventRow, eventRows, sessionRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

const server = await startRedis();
after(() => server.end());

/** A store whose first commits, as many as that, are written, and whose answers are lost. */
async function openForgetful(t: TestContext, losses: number): Promise<Store> {
  const link = await openLink({ url: server.url, timeoutMs: 5_000, warn: () => undefined });
  let left = losses;
  const forgetful: Link = {
    away: false,
    ask: (key, work) => link.ask(key, work),
    async run(script, keys, args) {
      const answer = await link.run(script, keys, args);
      const isWritten = script === SCRIPTS.commit && (answer as unknown[])[0] === 'ok';
      if (isWritten && left-- > 0) throw redisUnavailable('the answer was lost');
      return answer;
    },
    close: () => link.close(),
  };
  const store = redisStore(forgetful, { claimMs: 30_000, close: () => link.close() });
  t.after(() => store.close());
  return store;
}

async function lease(t: TestContext, id: string) {
  const { leases } = await openNode(t, server.url, { node: `node-${id}` });
  return (await leases.acquire(id)) ?? assert.fail();
}

describe('a commit whose answer is lost', () => {
  test('is written once, while the lease holds, and so are those that wait behind it', async (t) => {
    const store = await openForgetful(t, 2);
    const { epoch, lost: until } = await lease(t, 'ses_a');
    const held = { sessionId: 'ses_a', epoch, until };
    await Promise.all([
      store.commit({ ...held, session: sessionRow('ses_a'), events: eventRows(1, 2) }),
      store.commit({ ...held, events: [eventRow(3)] }),
      store.commit({ ...held, session: sessionRow('ses_a', { document: '"later"' }) }),
    ]);
    assert.deepEqual(await store.events({ sessionId: 'ses_a', after: 0, limit: 10 }), eventRows(1, 3));
    assert.equal((await store.session('ses_a'))?.document, '"later"');
    assert.equal(await store.countSessions('anna'), 1);
  });

  test('is an error at once without a lease, and when that is lost', async (t) => {
    const store = await openForgetful(t, 2);
    await assert.rejects(store.commit({ sessionId: 'ses_b', session: sessionRow('ses_b') }), { code: 'store-unavailable' });
    const { epoch } = await lease(t, 'ses_b');
    const step = { sessionId: 'ses_b', epoch, until: AbortSignal.abort(), session: sessionRow('ses_b') };
    await assert.rejects(store.commit(step), { code: 'store-unavailable' });
  });

  test('is not repeated over what another node has written since', async (t) => {
    const store = await openForgetful(t, 1);
    const first = await lease(t, 'ses_c');
    const step = { sessionId: 'ses_c', epoch: first.epoch, until: first.lost, session: sessionRow('ses_c'), events: [eventRow(1)] };
    const pending = store.commit(step);
    pending.catch(() => {});
    const other = await openNode(t, server.url, { node: 'node-other' });
    while ((await other.store.range('ses_c')).last < 1) await new Promise((resolve) => setImmediate(resolve));
    await first.release();
    const second = (await other.leases.acquire('ses_c')) ?? assert.fail();
    await other.store.commit({ sessionId: 'ses_c', epoch: second.epoch, events: [eventRow(2)] });
    await assert.rejects(pending);
    assert.deepEqual(await store.events({ sessionId: 'ses_c', after: 0, limit: 10 }), eventRows(1, 2));
  });
});
