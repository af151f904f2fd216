import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { OPERATIONS } from '../../src/plugins/documents/openapi-operations.ts';
import { startServer, type Json, type TestServer } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';
import { withConfigFile } from './config-file.ts';
import { rawRequest } from './raw-request.ts';

const KEYS = 'one:first-secret,two:second-secret';
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const protocolOf = (key: string): string => `toolexec.key.${Buffer.from(key).toString('base64url')}`;

async function statusOf(server: TestServer, host: string, path = '/v1/tools'): Promise<number> {
  return (await rawRequest(server.url, [`GET ${path} HTTP/1.1`, `Host: ${host}`])).status;
}

describe('a Host', () => {
  test('of this machine is answered, with any port, since ports may be forwarded', async (t) => {
    const server = await startServer(t);
    const { port } = new URL(server.url);
    for (const host of [`127.0.0.1:${port}`, 'localhost', 'LOCALHOST:1234', '[::1]', '[::1]:8080', '127.0.0.1']) {
      assert.deepEqual([host, await statusOf(server, host)], [host, 200]);
    }
  });

  test('that only looks like one of this machine is refused', async (t) => {
    const server = await startServer(t);
    for (const host of [
      'evil.example',
      '127.999.0.1',
      '127.0.0.1.evil.example',
      '127.0.0.1@evil.example',
      '127.1',
      '127.0.0.1:80:80',
      'localhost.evil.example',
      'localhost@evil.example',
      'localhost.',
      'localhost/evil.example',
      '[::1',
      '::1',
      '[::2]',
      '0.0.0.0',
      '',
    ]) {
      const { status, body } = await rawRequest(server.url, ['GET /v1/tools HTTP/1.1', `Host: ${host}`]);
      const refused = host === 'localhost/evil.example' || host === '' ? [400, 403] : [403];
      assert.ok(refused.includes(status), `${host}: ${status}`);
      if (status === 403) assert.equal(body['type'], '/problems/host-not-allowed');
    }
  });

  test('counts once: a second one does not pass behind the first', async (t) => {
    const server = await startServer(t);
    for (const hosts of [
      ['localhost', 'evil.example'],
      ['evil.example', 'localhost'],
      ['localhost', 'localhost'],
    ]) {
      const { status } = await rawRequest(server.url, ['GET /v1/tools HTTP/1.1', ...hosts.map((host) => `Host: ${host}`)]);
      assert.ok(status === 403 || status === 400, `${hosts.join(' and ')}: ${status}`);
    }
    const asked = async (...head: string[]): Promise<number> => (await rawRequest(server.url, head)).status;
    assert.equal(await asked('GET http://evil.example/v1/tools HTTP/1.1', 'Host: localhost'), 403);
    assert.equal(await asked('GET http://localhost/v1/tools HTTP/1.1', 'Host: localhost'), 200);
    assert.equal(await asked('GET /v1/tools HTTP/1.0'), 403);
  });

  test('that the operator has named is answered, with a port only where it names one', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_ALLOWED_HOSTS: 'Tools.example.com,other.example.com:8443,[fd00::1]' } });
    for (const [host, status] of [
      ['tools.example.com', 200],
      ['TOOLS.example.com:443', 200],
      ['other.example.com:8443', 200],
      ['other.example.com', 403],
      ['[fd00::1]:80', 200],
      ['x.tools.example.com', 403],
      ['tools.example.com.evil.example', 403],
    ] as const) {
      assert.deepEqual([host, await statusOf(server, host)], [host, status]);
    }
  });

  test('of any kind reaches the probes, and nothing else', async (t) => {
    const server = await startServer(t);
    for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal(await statusOf(server, 'evil.example', path), 200);
    for (const path of ['/docs', '/openapi.json', '/problems/internal', '/nope'])
      assert.equal(await statusOf(server, 'evil.example', path), 403);
  });
});

describe('a browser', () => {
  /** What a page of another site can make a browser send, without the server's consent. */
  const simple = (server: TestServer, type: string, origin: string, body = '{}') =>
    rawRequest(
      server.url,
      [
        'POST /v1/sessions HTTP/1.1',
        `Host: ${new URL(server.url).host}`,
        `Origin: ${origin}`,
        `Content-Type: ${type}`,
        `Content-Length: ${body.length}`,
        'Cookie: key=first-secret; Authorization=Bearer first-secret',
        'Sec-Fetch-Site: cross-site',
      ],
      body,
    );

  test('that shows a foreign page cannot make anything, whatever it posts', async (t) => {
    const server = await startServer(t);
    for (const origin of [
      'https://evil.example',
      'null',
      'file://',
      `${server.url}.evil.example`,
      'http://127.0.0.1',
      'HTTP://LOCALHOST',
    ]) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const { status, body } = await simple(server, type, origin);
        assert.deepEqual([origin, type, status, body['type']], [origin, type, 403, '/problems/forbidden']);
      }
    }
    assert.deepEqual((await server.request('GET', '/v1/sessions')).body['data'], []);
  });

  test('that shows our own page makes things with JSON alone, not with forms or text', async (t) => {
    const server = await startServer(t);
    assert.equal((await simple(server, 'application/json', server.url)).status, 201);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      assert.equal((await simple(server, type, server.url)).status, 415);
    }
  });

  test('gets in with a key, never with a cookie', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: KEYS } });
    const cookie = { cookie: 'key=first-secret; toolexec=first-secret; authorization=Bearer first-secret' };
    assert.equal((await server.request('GET', '/v1/sessions', undefined, cookie)).status, 401);
    assert.equal((await server.request('GET', '/v1/sessions?key=first-secret&ticket=first-secret')).status, 401);
    const socket = await server.socket('/v1/stream?key=first-secret', { headers: cookie });
    assert.equal((await socket.closed).code, 4401);
  });

  test('cannot be made to load an address into a foreign page, as an image or script, though it sends no Origin then', async (t) => {
    const server = await startServer(t);
    const load = (site: string, path = '/v1/tools') => server.request('GET', path, undefined, { 'sec-fetch-site': site });
    for (const site of ['cross-site', 'same-site']) assert.equal((await load(site)).status, 403);
    for (const site of ['same-origin', 'none']) assert.equal((await load(site)).status, 200);
    assert.equal((await load('cross-site', '/docs')).status, 200, 'a link to the documents works');
  });

  test('opens a socket from our own or an allowed page, and from no other', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_ALLOWED_ORIGINS: 'https://app.example.com' } });
    const path = `/v1/sessions/${await server.session()}/stream`;
    for (const origin of [server.url, 'https://app.example.com', undefined]) {
      const socket = await server.socket(path, { headers: origin === undefined ? {} : { origin } });
      await socket.type('session');
    }
    for (const origin of ['https://evil.example', 'null', '', 'https://app.example.com.evil.example', 'http://app.example.com']) {
      await assert.rejects(server.socket(path, { headers: { origin } }), /403/, origin);
    }
  });
});

describe('a key', () => {
  test('in the subprotocol opens a socket; a wrong one or none is accepted and closed with 4401', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: KEYS } });
    const path = `/v1/sessions/${await make(server, 'first-secret')}/stream`;
    const right = await server.socket(path, { protocols: ['toolexec.v1', protocolOf('first-secret')] });
    await right.type('session');
    assert.equal(right.protocol, 'toolexec.v1', 'the key is not sent back');
    for (const protocols of [['toolexec.v1'], ['toolexec.v1', protocolOf('wrong-secret')], ['toolexec.v1', 'toolexec.key.first-secret']]) {
      const socket = await server.socket(path, { protocols });
      assert.equal((await socket.closed).code, 4401);
      assert.deepEqual(socket.frames, []);
    }
    const missing = await server.socket('/v1/sessions/ses_nope/stream', { headers: as('first-secret') });
    assert.equal((await missing.closed).code, 4404);
  });

  test('is right as a whole: no beginning, end, other case or other name passes', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: KEYS } });
    const tries = [
      'first-secre',
      'first-secrett',
      'First-secret',
      'first-secret,second-secret',
      'one',
      'one:first-secret',
      'undefined',
      '""',
    ];
    for (const key of tries) assert.equal((await server.request('GET', '/v1/sessions', undefined, as(key))).status, 401, key);
    for (const authorization of ['Bearer', 'Bearer ', 'Basic first-secret', 'first-secret', 'Bearer first-secret x']) {
      assert.equal((await server.request('GET', '/v1/sessions', undefined, { authorization })).status, 401, authorization);
    }
    assert.equal((await server.request('GET', '/v1/sessions', undefined, { authorization: 'bearer  first-secret' })).status, 200);
  });

  test('sees nothing of what another has made: each operation answers as if the session had never been', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: KEYS }, tools: [workTool()] });
    const theirs = await make(server, 'first-secret');
    const never = 'ses_00000000000000000000000000000000';
    const operations = Object.keys(OPERATIONS).filter((operation) => operation.includes('/sessions/{id}'));
    assert.ok(operations.length > 10);
    for (const operation of operations) {
      const [method = '', template = ''] = operation.split(' ');
      const ask = async (id: string) => {
        const path = template.replace('{id}', id).replaceAll(/\{\w+\}/g, 'x');
        const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[operation] ?? {});
        const reply = await server.request(method, path, body, { ...as('second-secret'), accept: 'application/json' });
        return [operation, reply.status, JSON.stringify({ ...reply.body, instance: '' }).replaceAll(id, '')];
      };
      const answer = await ask(theirs);
      assert.deepEqual(answer, await ask(never));
      assert.deepEqual(answer.slice(0, 2), [operation, 404]);
    }
    assert.equal((await server.request('GET', `/v1/sessions/${theirs}`, undefined, as('first-secret'))).status, 200);
  });

  test('is needed by every operation, also by a request that asks for a socket where there is none', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: KEYS } });
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${btoa('0123456789abcdef')}`,
    ];
    for (const operation of Object.keys(OPERATIONS).filter((name) => / \/(?:v1\/|mcp)/.test(name))) {
      const head = [`${operation.replaceAll(/\{\w+\}/g, 'x')} HTTP/1.1`, `Host: ${new URL(server.url).host}`, ...upgrade];
      assert.deepEqual([operation, (await rawRequest(server.url, head)).status], [operation, 401]);
    }
  });

  test('that is wrong too often from one address is told to wait, while right keys go on', async (t) => {
    const env = { TOOLEXEC_API_KEYS: KEYS, ...(await withConfigFile(t, { limits: { wrong_keys_per_minute: 3 } })) };
    const server = await startServer(t, { env });
    const ask = (key: string) => server.request('GET', '/v1/sessions', undefined, as(key));
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await ask(`guess-${n}`)).status);
    assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
    const { headers, body } = await ask('guess');
    assert.equal(body['type'], '/problems/too-many-requests');
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60);
    await assert.rejects(server.socket('/v1/stream', { protocols: ['toolexec.v1', protocolOf('guess')] }), /429/);
    assert.equal((await server.request('GET', '/v1/sessions')).status, 401, 'no key is no guess');
    assert.equal((await ask('first-secret')).status, 200);
  });
});

/** Bodies of the operations that would otherwise be refused before anybody looks for the session. */
const BODIES: Record<string, Json> = {
  'POST /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/result': { content: 'x' },
  'POST /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/resolve': { as: 'ok' },
  'POST /v1/sessions/{id}/tools/search': { query: 'x' },
  'POST /v1/sessions/{id}/messages': { role: 'assistant', content: [] },
  'POST /v1/sessions/{id}/plan': { role: 'assistant', content: [] },
  'POST /v1/sessions/{id}/approvals': { decisions: [{ approval_id: 'x', behavior: 'allow' }] },
  'POST /v1/sessions/{id}/approvals/{approval_id}': { behavior: 'allow' },
};

async function make(server: TestServer, key: string): Promise<string> {
  return (await server.request('POST', '/v1/sessions', {}, as(key))).body['id'] as string;
}

test('a service that others can reach does not start without a key', async (t) => {
  await assert.rejects(startOn(t, '0.0.0.0'), /TOOLEXEC_HOST is 0\.0\.0\.0.*set TOOLEXEC_API_KEYS/);
  await assert.rejects(startOn(t, '127.0.0.1.evil.example'), /set TOOLEXEC_API_KEYS/);
});

function startOn(t: TestContext, host: string): Promise<TestServer> {
  return startServer(t, { env: { TOOLEXEC_HOST: host } });
}
