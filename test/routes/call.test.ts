// One tool, one request.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fixtureTools } from '../mcp/server/fixture-tools.ts';
import { startServer, type Json } from '../support/server.ts';
import { carefulAlone as careful, newTrace, workTool } from '../support/test-tools.ts';

const KEY = { 'idempotency-key': 'one' };
const everything = { permissions: { mode: 'bypassPermissions' } };

describe('POST /v1/call', () => {
  test('runs a tool by its name in a session of its own, which goes after it', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const { status, body } = await server.request('POST', '/v1/call', {
      name: 'Work',
      arguments: { label: 'x', ms: '1' },
      session: everything,
    });
    assert.equal(status, 200);
    assert.deepEqual(body, { result: 'done x', is_error: false, outcome: 'ok', coerced: ['ms'] });
    assert.deepEqual((await server.request('GET', '/v1/sessions')).body['data'], []);
  });

  test('takes arguments as an object, as its JSON text, and none at all', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    for (const [given, result] of [
      [{ label: 'x' }, 'done x'],
      ['{"label":"y"}', 'done y'],
      ['', 'done '],
      [null, 'done '],
      [undefined, 'done '],
    ]) {
      const { body } = await server.request('POST', '/v1/call', { name: 'Work', arguments: given, session: everything });
      assert.deepEqual([given, body['result'], body['outcome']], [given, result, 'ok']);
    }
  });

  test('answers every fault of the call with a result that a model can read', async (t) => {
    const server = await startServer(t, { tools: [workTool(), careful] });
    for (const [request, outcome, text] of [
      [{ name: 'Work', arguments: { fail: true, label: 'x' }, session: everything }, 'tool_error', /failed x/],
      [{ name: 'Work', arguments: { ms: 'soon' }, session: everything }, 'invalid_input', /ms/],
      [{ name: 'Work', arguments: '{"ms":', session: everything }, 'invalid_input', /not valid JSON.*position 6/],
      [{ name: 'Work', arguments: '[1]', session: everything }, 'invalid_input', /one JSON object/],
      [{ name: 'Nothing' }, 'unknown_tool', /No tool named "Nothing"/],
      [{ name: 'x'.repeat(10_000) }, 'unknown_tool', /No tool named/],
      [{ name: '__proto__' }, 'unknown_tool', /No tool named/],
      [{ name: 'Careful' }, 'denied', /./],
    ] as const) {
      const { status, body } = await server.request('POST', '/v1/call', request);
      assert.deepEqual([status, body['is_error'], body['outcome']], [200, true, outcome]);
      assert.match(body['result'], text);
    }
  });

  test('gives blocks where a result has them', async (t) => {
    const server = await startServer(t, { tools: fixtureTools });
    const { body } = await server.request('POST', '/v1/call', { name: 'test_image_content' });
    assert.deepEqual([body['result'][0].type, body['result'][0].source.media_type], ['image', 'image/png']);
  });

  test('refuses what is no call, and says what to change', async (t) => {
    const server = await startServer(t);
    const session_id = await server.session();
    for (const [request, path] of [
      [{}, 'name'],
      [{ name: 5 }, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'Read', arguments: [1] }, 'arguments'],
      [{ name: 'Read', arguments: 5 }, 'arguments'],
      [{ name: 'Read', session: { colour: 'red' } }, 'session.colour'],
      [{ name: 'Read', input: {} }, 'input'],
    ] as const) {
      const { status, body } = await server.request('POST', '/v1/call', request);
      assert.deepEqual(
        [status, body['type'], body['errors']?.[0]?.path],
        [400, '/problems/invalid-request', path],
        JSON.stringify(request),
      );
    }
    assert.equal((await server.request('POST', '/v1/call', { name: 'Read', session_id, session: {} })).status, 400);
    const custom = [{ name: 'Mine', description: 'Runs in the client.', input_schema: { type: 'object' }, client: true }];
    assert.equal((await server.request('POST', '/v1/call', { name: 'Mine', session: { tools: { custom } } })).status, 400);
    assert.equal((await server.request('POST', '/v1/call', { name: 'Read', session_id: 'ses_none' })).status, 404);
    assert.deepEqual((await server.request('GET', `/v1/sessions/${session_id}/turns`)).body['data'], []);
  });

  test('runs in the session that it names, of its own key alone', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' } });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const made = await server.request('POST', '/v1/sessions', everything, as('first-secret'));
    const session_id = made.body['id'] as string;
    const write = { name: 'Write', arguments: { file_path: 'a.txt', content: 'kept' }, session_id };
    const written = await server.request('POST', '/v1/call', write, as('first-secret'));
    assert.equal(written.body['outcome'], 'ok');
    const read = { name: 'Read', arguments: { file_path: 'a.txt' }, session_id };
    assert.match((await server.request('POST', '/v1/call', read, as('first-secret'))).body['result'], /kept/);
    assert.equal((await server.request('POST', '/v1/call', read, as('second-secret'))).status, 404);
    const turn = await server.request('GET', `/v1/sessions/${session_id}/turns/${written.body['turn_id']}`, undefined, as('first-secret'));
    assert.equal(turn.body['turn'].calls[0].name, 'Write');
  });

  test('in a session, says at once that people must be asked, and has its result where they have answered', async (t) => {
    const server = await startServer(t, { tools: [careful] });
    const session_id = await server.session({ permissions: { mode: 'acceptEdits' } });
    const { status, body } = await server.request('POST', '/v1/call', { name: 'Careful', session_id }, KEY);
    assert.deepEqual([status, body['result'], body['outcome'], body['is_error']], [200, null, null, false]);
    const [{ type, id }] = body['pending'] as [Json];
    assert.equal(type, 'approval');
    await server.request('POST', `/v1/sessions/${session_id}/approvals/${id}`, { behavior: 'allow' });
    const joined = await server.request('POST', '/v1/call', { name: 'Careful', session_id }, KEY);
    assert.deepEqual(joined.body, { result: 'done', is_error: false, outcome: 'ok', coerced: [], turn_id: body['turn_id'] });
    assert.equal(joined.headers.get('toolexec-replayed'), 'true');
  });

  for (const where of ['a session', 'a session of its own'] as const) {
    test(`in ${where}, with an Idempotency-Key runs once, however often it is sent`, async (t) => {
      const trace = newTrace();
      const server = await startServer(t, { tools: [workTool(trace)] });
      const place = where === 'a session' ? { session_id: await server.session() } : { session: everything };
      const request = { name: 'Work', arguments: { ms: 50, label: 'x' }, ...place };
      const send = () => server.request('POST', '/v1/call', request, KEY);
      const replies = [...(await Promise.all([send(), send()])), await send()];
      for (const { status, body } of replies) assert.deepEqual([status, body['result'], body['outcome']], [200, 'done x', 'ok']);
      assert.equal(trace.started.length, 1);
      assert.equal((await server.request('POST', '/v1/call', { ...request, arguments: {} }, KEY)).status, 409);
      await server.request('POST', '/v1/call', request);
      assert.equal(trace.started.length, 2, 'without the key it is another call');
    });
  }

  test('goes on when its client leaves, and its session goes then', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const leaving = new AbortController();
    const sent = fetch(`${server.url}/v1/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Work', arguments: { ms: 200 }, session: everything }),
      signal: leaving.signal,
    });
    await trace.until(() => trace.started.length === 1);
    leaving.abort();
    await assert.rejects(sent);
    await trace.until(() => trace.finished.length === 1);
    while (((await server.request('GET', '/v1/sessions')).body['data'] as unknown[]).length > 0) await sleep(10);
  });
});
