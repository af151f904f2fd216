// One Idempotency-Key that comes to several nodes at the same moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, call, resultsOf, startServer, type Json } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';
import { sharedStore } from './shared-store.ts';

const shared = await sharedStore(15_000);
const ROUNDS = 5;

test('an Idempotency-Key that comes to two nodes at once', async (t) => {
  const trace = newTrace();
  const start = () => startServer(t, { env: shared.env, dataDir: shared.directory('two'), tools: [workTool(trace)] });
  const nodes = await Promise.all([start(), start()]);
  const session = { permissions: { mode: 'bypassPermissions' } };
  const sendTwice = (path: string, body: Json, key: string) =>
    Promise.all(nodes.map((node) => node.request('POST', path, body, { 'idempotency-key': key })));
  const timesReplayed = (replies: readonly { headers: Headers }[]): number =>
    replies.filter(({ headers }) => headers.get('toolexec-replayed') === 'true').length;

  await t.test('runs a message in a session of its own once, and both get its reply', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = { ...assistant([call(`message${round}`, 'Work', { ms: 300, label: `${round}` })]), session };
      const replies = await sendTwice('/v1/messages', body, `message-${round}`);
      assert.deepEqual(
        replies.map((reply) => [reply.status, ...resultsOf(reply.body)]),
        [0, 1].map(() => [200, `message${round}: done ${round}`]),
      );
      assert.deepEqual(replies[0]?.body, replies[1]?.body);
      assert.equal(timesReplayed(replies), 1);
      assert.equal(trace.started.filter((id) => id === `message${round}`).length, 1);
    }
  });

  await t.test('runs one call by its name once', async () => {
    const before = trace.started.length;
    const replies = await sendTwice('/v1/call', { name: 'Work', arguments: { ms: 300, label: 'x' }, session }, 'call');
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body['result']]),
      [0, 1].map(() => [200, 'done x']),
    );
    assert.equal(trace.started.length, before + 1);
  });

  await t.test('makes one session', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const replies = await sendTwice('/v1/sessions', { metadata: { round } }, `session-${round}`);
      assert.deepEqual([replies[0]?.status, replies[1]?.status], [201, 201]);
      assert.equal(replies[0]?.body['id'], replies[1]?.body['id']);
    }
    const { body } = await nodes[0].request('GET', '/v1/sessions');
    assert.equal(body['data'].length, ROUNDS, 'nothing is left of those that were not needed');
  });

  await t.test('is refused with another request, at whichever node that comes', async () => {
    for (const node of nodes) {
      const { status, body } = await node.request('POST', '/v1/sessions', { metadata: { other: 1 } }, { 'idempotency-key': 'session-0' });
      assert.deepEqual([status, body['type']], [409, '/problems/idempotency-key-reused']);
    }
  });
});
