import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { badTools, workTool } from '../support/test-tools.ts';
import { assistant, call, resultsOf, startServer } from '../support/server.ts';

describe('bad input', () => {
  test('of every kind gets its status and loses nothing: the next request works', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const path = `/v1/sessions/${session}/messages`;
    const cases: [unknown, number, string][] = [
      ['{"role":', 400, 'invalid-request'],
      ['', 400, 'invalid-request'],
      ['[]', 400, 'invalid-request'],
      ['null', 400, 'invalid-request'],
      ['"text"', 400, 'invalid-request'],
      [{ role: 'assistant' }, 400, 'invalid-request'],
      [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'Work', input: {} }] }, 400, 'invalid-request'],
      [assistant([{ name: 'Work', input: {} }]), 400, 'invalid-request'],
      [assistant([{ id: 5, name: 'Work' }]), 400, 'invalid-request'],
      [assistant([{ id: 'a' }]), 400, 'invalid-request'],
      [assistant([call('a', 'Work'), call('a', 'Work')]), 400, 'duplicate-tool-use-id'],
      [assistant(Array.from({ length: 100_000 }, (_, n) => call(`c${n}`, 'Work'))), 400, 'invalid-request'],
      [
        `{"role":"assistant","content":[{"type":"tool_use","id":"d","name":"Work","input":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}]}`,
        400,
        'invalid-request',
      ],
      [{ role: 'assistant', content: 'x'.repeat(50 * 1024 * 1024) }, 413, 'payload-too-large'],
    ];
    for (const [body, status, slug] of cases) {
      const reply = await server.request('POST', path, body);
      const shown = JSON.stringify(body).slice(0, 80);
      assert.deepEqual([shown, reply.status, reply.body['type']], [shown, status, `/problems/${slug}`]);
      assert.ok(reply.body['detail'].length > 10 && reply.body['title'] && reply.body['status'] === status);
    }
    const form = await fetch(server.url + path, { method: 'POST', body: 'a=b' });
    assert.equal(form.status, 415);
    assert.deepEqual(resultsOf((await server.post(session, [call('fine', 'Work')])).body), ['fine: done ']);
  });

  test('of a call costs that call alone', async (t) => {
    const server = await startServer(t, { tools: [workTool(), ...Object.values(badTools)] });
    const session = await server.session();
    const { status, body } = await server.request(
      'POST',
      `/v1/sessions/${session}/messages`,
      `{"role":"assistant","content":[
        {"type":"tool_use","id":"1","name":"Work","input":{"label":"fine"}},
        {"type":"tool_use","id":"2","name":"Work","input":{"__proto__":{"ms":1},"constructor":1}},
        {"type":"tool_use","id":"3","name":"Work","input":[1,2]},
        {"type":"tool_use","id":"4","name":"Work","input":null},
        {"type":"tool_use","id":"5","name":"constructor","input":{}},
        {"type":"tool_use","id":"6","name":"${'n'.repeat(5000)}","input":{}},
        {"type":"tool_use","id":"7","name":"Throws","input":{}},
        {"type":"tool_use","id":"8","name":"Hangs","input":{}},
        {"type":"tool_use","id":"9","name":"Work"},
        {"type":"tool_use","id":"__proto__","name":"Work","input":{"label":"\\ud800"}},
        {"type":"text","text":"ignored"},
        {"type":"something_new","x":1}
      ]}`,
    );
    assert.equal(status, 200);
    assert.deepEqual(
      body['turn'].calls.map((c: { outcome: string }) => c.outcome),
      ['ok', 'invalid_input', 'invalid_input', 'invalid_input', 'unknown_tool', 'unknown_tool', 'tool_error', 'timed_out', 'ok', 'ok'],
    );
    assert.ok(JSON.stringify(body).length < 20_000);
  });

  test('of addresses and methods is answered as a problem', async (t) => {
    const server = await startServer(t);
    for (const [method, path] of [
      ['GET', '/nope'],
      ['PUT', '/v1/sessions'],
      ['GET', '/v1/sessions/ses_nope'],
      ['GET', `/v1/sessions/${'x'.repeat(200)}`],
      ['GET', '/v1/sessions/%00'],
      ['GET', '/v1/sessions/..%2f..%2fetc'],
    ] as const) {
      const reply = await server.request(method, path);
      assert.ok(reply.status === 404 || reply.status === 400, `${path}: ${reply.status}`);
      assert.match(reply.headers.get('content-type') ?? '', /problem\+json/);
    }
  });

  test('on the wire does not end the service', async (t) => {
    const server = await startServer(t);
    const { port } = new URL(server.url);
    for (const bytes of [
      '\u0000\u0001\u0002garbage\r\n\r\n',
      'GET / HTTP/1.1\r\n',
      'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{',
      'GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        setTimeout(() => socket.destroy(), 100);
      });
    }
    assert.equal((await server.request('GET', '/healthz')).status, 200);
  });
});

describe('who may ask', () => {
  test('a foreign Host or Origin is refused, the probes answer to any Host', async (t) => {
    const server = await startServer(t);
    const { request } = await import('node:http');
    const ask = (path: string, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        request(server.url + path, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    assert.equal(await ask('/v1/tools', { host: 'evil.example' }), 403);
    assert.equal(await ask('/healthz', { host: 'evil.example' }), 200);
    assert.equal(await ask('/v1/tools', { origin: 'https://evil.example' }), 403);
    assert.equal(await ask('/v1/tools', { origin: server.url }), 200);
    assert.equal(await ask('/v1/tools', { origin: 'null' }), 403);
    await assert.rejects(server.socket('/v1/stream', { headers: { origin: 'https://evil.example' } }), /403/);
  });

  test('with keys set, only a valid one gets in, and each sees only what it made', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' }, tools: [workTool()] });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const refused = await server.request('GET', '/v1/sessions');
    assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer']);
    assert.equal((await server.request('GET', '/v1/sessions', undefined, as('wrong-secret'))).status, 401);
    for (const open of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/openapi.yaml', '/docs', '/problems/unauthorized']) {
      assert.equal((await server.request('GET', open)).status, 200, open);
    }
    const { body } = await server.request('POST', '/v1/sessions', {}, as('first-secret'));
    assert.equal((await server.request('GET', `/v1/sessions/${body['id']}`, undefined, as('first-secret'))).status, 200);
    assert.equal((await server.request('GET', `/v1/sessions/${body['id']}`, undefined, as('second-secret'))).status, 404);
    assert.deepEqual((await server.request('GET', '/v1/sessions', undefined, as('second-secret'))).body['data'], []);
    const stranger = await server.socket(`/v1/sessions/${body['id']}/stream`, {});
    assert.equal((await stranger.closed).code, 4401);
    const other = await server.socket(`/v1/sessions/${body['id']}/stream`, { headers: as('second-secret') });
    assert.equal((await other.closed).code, 4404);
    const key = `toolexec.key.${Buffer.from('first-secret').toString('base64url')}`;
    const browser = await server.socket(`/v1/sessions/${body['id']}/stream`, { protocols: ['toolexec.v1', key] });
    assert.equal((await browser.type('session'))['session'].id, body['id']);
    assert.equal(browser.protocol, 'toolexec.v1');
  });
});
