import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, startServer, type Json } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

/** JSON this many levels deep. */
const nested = (levels: number): Json => JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)) as Json;

describe('the operator’s limit', () => {
  test('on sessions of a key is answered with 429 and when to come again, and holds for each key alone', async (t) => {
    const env = { ...(await withLimits(t, { sessions_per_key: 2 })), TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' };
    const server = await startServer(t, { env });
    const make = (key: string) => server.request('POST', '/v1/sessions', {}, { authorization: `Bearer ${key}` });
    const [first] = [await make('first-secret'), await make('first-secret')];
    const refused = await make('first-secret');
    assert.deepEqual([refused.status, refused.body['type']], [429, '/problems/too-many-requests']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal((await make('second-secret')).status, 201);
    await server.request('DELETE', first.headers.get('location') ?? '', undefined, { authorization: 'Bearer first-secret' });
    assert.equal((await make('first-secret')).status, 201);
  });

  test('on calls of a turn refuses a message that has more, and over a socket the one call too many', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)], env: await withLimits(t, { calls_per_turn: 2 }) });
    const session = await server.session();
    const { status, body } = await server.post(session, [call('a', 'Work'), call('b', 'Work'), call('c', 'Work')]);
    assert.deepEqual([status, body['type']], [400, '/problems/invalid-request']);
    assert.match(body['detail'], /at most 2 calls/);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    for (const id of ['d', 'e', 'f']) socket.send({ type: 'tool_use', id, name: 'Work', input: {}, ref: id });
    assert.equal((await socket.type('error'))['ref'], 'f');
    socket.send({ type: 'end' });
    const done = await socket.type('turn_completed');
    assert.deepEqual(
      done['turn'].calls.map((c: Json) => `${c['tool_use_id']} ${c['outcome']}`),
      ['d ok', 'e ok'],
    );
    assert.deepEqual(trace.started, ['d', 'e']);
  });

  test('on the depth of JSON holds for bodies and for frames, to the level', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { json_depth: 10 }) });
    const session = await server.session({ metadata: nested(9) });
    const { status, body } = await server.request('POST', '/v1/sessions', { metadata: nested(10) });
    assert.deepEqual([status, body['type']], [400, '/problems/invalid-request']);
    assert.match(body['detail'], /nested deeper than 10 levels/);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'ping', more: nested(10) });
    assert.match((await socket.type('error'))['problem'].detail, /nested deeper than 10 levels/);
    socket.send({ type: 'ping', more: nested(9) });
    await socket.type('pong');
  });
});
