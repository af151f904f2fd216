import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SessionQuota } from '../../../src/sessions/registry/session-quota.ts';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { sessionRow } from '../rows.ts';
import { openNode } from './open-redis.ts';

const [LIMIT, THERE, AT_ONCE] = [10, 8, 5];

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

test('a key that makes sessions on two nodes at once gets no more than it may, beside those that one of them was making', async (t) => {
  const nodes = [await openNode(t, server.url, { node: 'a' }), await openNode(t, server.url, { node: 'b' })];
  const makers = nodes.map(({ store }, node) => {
    const quota = new SessionQuota({ count: (owner) => store.countSessions(owner), limit: LIMIT });
    return (n: number) =>
      quota.within('anna', () => store.commit({ sessionId: `ses_${node}_${n}`, session: sessionRow(`ses_${node}_${n}`) }));
  });
  const [first] = makers;
  for (let n = 0; n < THERE; n += 1) await first?.(n);
  const made = await Promise.allSettled(makers.flatMap((make) => Array.from({ length: AT_ONCE }, (_, n) => make(100 + n))));
  const open = (await nodes[0]?.store.countSessions('anna')) ?? 0;
  assert.equal(open, THERE + made.filter(({ status }) => status === 'fulfilled').length);
  assert.ok(open >= LIMIT && open <= LIMIT + AT_ONCE, `${open} are open`);
  for (const make of makers) await assert.rejects(make(200), /At most 10 sessions may be open/);
});
