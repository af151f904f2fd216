// What one node tells another of who asks is believed of nodes alone.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import { FORWARDED_HEADER, readIdentity, tellIdentity } from '../../src/cluster/identity.ts';
import { rawRequest } from '../routes/raw-request.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { sharedStore } from './shared-store.ts';

const shared = await sharedStore(3_000);
const KEYS = { TOOLEXEC_API_KEYS: 'alice:key-of-alice,bob:key-of-bob' };
const asAlice = { authorization: 'Bearer key-of-alice' };
const asBob = { authorization: 'Bearer key-of-bob' };

/** What the nodes of the tests know one another by. */
async function knownBy(session: string): Promise<{ secret: string; node: string }> {
  const client = await shared.redis.client();
  const keys = await client.keys('*');
  const secretKey = keys.find((key) => key.includes('secret')) ?? '';
  const ownerKey = keys.find((key) => key.includes(session) && key.includes('owner')) ?? '';
  const [secret, owner] = [await client.get(secretKey), await client.get(ownerKey)];
  return { secret: secret ?? '', node: owner?.split(' ')[1] ?? '' };
}

async function twoNodes(t: TestContext, dataDir: string): Promise<[TestServer, TestServer, string]> {
  const env = { ...shared.env, ...KEYS };
  const [one, two] = await Promise.all([startServer(t, { env, dataDir }), startServer(t, { env, dataDir })]);
  const { body } = await one.request('POST', '/v1/sessions', {}, asAlice);
  return [one, two, body['id'] as string];
}

test('a session of one key is not there for another, at whichever node', async (t) => {
  const [one, two, id] = await twoNodes(t, shared.directory('keys'));
  for (const node of [one, two]) {
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
      ['PUT', '/files/x'],
      ['GET', '/turns'],
    ] as const) {
      const { status, body } = await node.request(method, `/v1/sessions/${id}${path}`, method === 'PUT' ? 'x' : undefined, asBob);
      assert.deepEqual([status, body['type']], [404, '/problems/session-not-found'], `${method} ${path}`);
    }
    assert.equal((await node.request('POST', '/v1/call', { name: 'Bash', session_id: id }, asBob)).status, 404);
    assert.equal((await node.request('GET', `/v1/sessions/${id}`)).status, 401);
    const socket = await node.socket(`/v1/sessions/${id}/stream`, { headers: asBob });
    assert.equal((await socket.closed).code, 4404);
    const nobody = await node.socket(`/v1/sessions/${id}/stream`);
    assert.equal((await nobody.closed).code, 4401);
    assert.equal((await node.request('GET', `/v1/sessions/${id}`, undefined, asAlice)).status, 200);
  }
});

test('a header of no node is refused, also with a valid key', async (t) => {
  const [one, , id] = await twoNodes(t, shared.directory('forged'));
  const { secret, node } = await knownBy(id);
  const path = `/v1/sessions/${id}`;
  const alice = { owner: 'alice', scope: 'drive' } as const;
  const told = (to: string, asked = path, key = secret): string => tellIdentity(alice, { to, method: 'GET', path: asked }, key);
  const get = async (header: string, more: Record<string, string> = {}): Promise<number> =>
    (await one.request('GET', path, undefined, { [FORWARDED_HEADER]: header, ...more })).status;
  assert.equal(await get(told(node)), 200, 'what a node says is believed');
  const [text = '', mac = ''] = told(node).split('.');
  const asOther = Buffer.from(Buffer.from(text, 'base64url').toString('utf8').replace('alice', 'bob')).toString('base64url');
  const forged = {
    'another secret': told(node, path, randomBytes(32).toString('base64url')),
    'for another node': told('node_other'),
    'for another request': told(node, `${path}/turns`),
    'with another owner': `${asOther}.${mac}`,
    'without a signature': text,
    'with an empty one': `${text}.`,
    'of nothing': '',
    'of more parts': `${told(node)}.x`,
    nonsense: 'x.y',
  };
  for (const [what, header] of Object.entries(forged)) {
    assert.equal(await get(header), 401, what);
    assert.equal(await get(header, asAlice), 401, `${what}, with a key`);
  }
  const evil = `Host: evil.example\r\n${FORWARDED_HEADER}: ${forged['another secret']}`;
  assert.equal((await rawRequest(one.url, ['GET /healthz HTTP/1.1', evil])).status, 401, 'it opens no door to pages of others either');
});

test('a request that was passed on is never passed on again', async (t) => {
  const [, , id] = await twoNodes(t, shared.directory('loops'));
  const env = { ...shared.env, ...KEYS };
  const third = await startServer(t, { env, dataDir: shared.directory('loops') });
  const probe = (await third.request('POST', '/v1/sessions', {}, asAlice)).body['id'] as string;
  const { secret, node } = await knownBy(probe);
  for (const [method, path, body] of [
    ['GET', `/v1/sessions/${id}`, undefined],
    ['POST', `/v1/sessions/${id}/messages`, { role: 'assistant', content: [] }],
    ['DELETE', `/v1/sessions/${id}`, undefined],
    ['POST', '/v1/call', { name: 'Bash', session_id: id }],
  ] as const) {
    const header = tellIdentity({ owner: 'alice', scope: 'drive' }, { to: node, method, path }, secret);
    const reply = await third.request(method, path, body, { [FORWARDED_HEADER]: header });
    assert.deepEqual([reply.status, reply.body['type']], [503, '/problems/session-elsewhere'], `${method} ${path}`);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  }
});

describe('an identity', () => {
  const secret = randomBytes(32).toString('base64url');
  const request = { to: 'node_1', method: 'GET', path: '/v1/sessions/ses_1' };

  test('is read as it was told, whatever the name', () => {
    for (const owner of ['', 'alice', 'Zoë 🐈', 'a.b\n"c"']) {
      const identity = { owner, scope: 'watch' } as const;
      assert.deepEqual(readIdentity(tellIdentity(identity, request, secret), request, secret), identity);
    }
  });

  test('holds for a moment only', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 });
    const header = tellIdentity({ owner: 'alice', scope: 'drive' }, request, secret);
    t.mock.timers.tick(30_000);
    assert.ok(readIdentity(header, request, secret));
    t.mock.timers.tick(1);
    assert.equal(readIdentity(header, request, secret), null);
  });
});
