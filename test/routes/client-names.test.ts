import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { call, startServer, type Json } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';

describe('what a client names', () => {
  test('as a tool may be of any length: the call gets its result, and what is shown of the name is short', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const calls = [call('a', `${'n'.repeat(199)}😀${'n'.repeat(1_000_000)}`), call('b', 'Work')];
    const { body } = await server.post(session, calls);
    assert.deepEqual(
      body['turn'].calls.map((c: Json) => c['outcome']),
      ['unknown_tool', 'ok'],
    );
    assert.ok(JSON.stringify(body).length < 3_000);
    assert.ok(body['turn'].calls[0].name.isWellFormed());
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'tool_use', id: 'c', name: 'm'.repeat(1_000_000), input: {} });
    socket.send({ type: 'end' });
    assert.match((await socket.type('tool_result'))['name'], /^m{199}…$/);
    for (const path of ['turns', 'events']) {
      const shown = await server.request('GET', `/v1/sessions/${session}/${path}`, undefined, { accept: 'application/json' });
      assert.ok(JSON.stringify(shown.body).length < 15_000, path);
    }
    const metrics = (await server.request('GET', '/metrics')).body['text'] as string;
    assert.doesNotMatch(metrics, /nnn|mmm/);
    assert.match(metrics, /toolexec_calls_total\{tool="unknown",outcome="unknown_tool"\} 2/);
  });

  test('as a tool of any length is recognised when the message is sent again', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const calls = [call('a', 'n'.repeat(10_000))];
    const first = await server.post(session, calls);
    const again = await server.post(session, calls);
    assert.equal(again.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(again.body, first.body);
  });

  test('is refused where it would be lost: __proto__ as a key of metadata, env or a patch', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ metadata: { constructor: 1, nested: { prototype: 2 } } });
    const path = `/v1/sessions/${session}`;
    assert.deepEqual((await server.request('GET', path)).body['metadata'], { constructor: 1, nested: { prototype: 2 } });
    for (const [method, at, body, key] of [
      ['POST', '/v1/sessions', '{"metadata":{"a":1,"__proto__":{"b":2}}}', 'metadata.__proto__'],
      ['POST', '/v1/sessions', '{"env":{"__proto__":"x"}}', 'env.__proto__'],
      ['POST', '/v1/messages', '{"role":"assistant","content":[],"session":{"metadata":{"__proto__":1}}}', 'session.metadata.__proto__'],
      ['PATCH', path, '{"metadata":{"__proto__":1}}', 'metadata.__proto__'],
      ['PATCH', path, '{"__proto__":{"ttl_ms":5000}}', '__proto__'],
    ] as const) {
      const { status, body: problem } = await server.request(method, at, body);
      assert.deepEqual([body, status], [body, 400]);
      assert.ok(problem['errors'][0].path.endsWith(key), `${problem['errors'][0].path} for ${key}`);
      assert.match(problem['errors'][0].message, /__proto__ cannot be a key here: use another name/);
    }
  });
});
