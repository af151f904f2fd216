import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startServer } from '../support/server.ts';
import { withLimits } from '../routes/config-file.ts';

describe('a wrong request', () => {
  test('is told with the path of each fault, written as in code, wherever it was found', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const path = `/v1/sessions/${session}`;
    for (const [method, at, body, where] of [
      ['POST', '/v1/sessions', { permissions: { ask: [7] } }, 'permissions.ask[0]'],
      ['POST', '/v1/sessions', { permissions: { allow: ['Read', 'Bash(ls'] } }, 'permissions.allow[1]'],
      ['POST', '/v1/sessions', { tools: { custom: [{ name: 'a b' }] } }, 'tools.custom[0].name'],
      ['POST', '/v1/sessions', { env: { 'A=B': 'x' } }, 'env["A=B"]'],
      ['POST', '/v1/messages', { role: 'assistant', content: [], session: { permissions: { deny: [''] } } }, 'session.permissions.deny[0]'],
      ['PATCH', path, { tools: { include: ['Read', 7] } }, 'tools.include[1]'],
      ['POST', `${path}/approvals`, { decisions: [{}] }, 'decisions[0].approval_id'],
    ] as const) {
      const { status, body: problem } = await server.request(method, at, body);
      assert.equal(status, 400, JSON.stringify(body));
      const paths = problem['errors'].map((one: { path: string }) => one.path);
      assert.ok(paths.includes(where), `${where} is not in ${paths.join(' ')}`);
    }
  });

  test('with unknown keys is told each of them, and which are known', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const options = { permissions: { alow: [], dny: [] }, workspce: {} };
    for (const [method, at, body] of [
      ['POST', '/v1/sessions', options],
      ['PATCH', `/v1/sessions/${session}`, { permissions: options.permissions }],
    ] as const) {
      const { errors } = (await server.request(method, at, body)).body;
      const messages = new Map<string, string>(errors.map((one: { path: string; message: string }) => [one.path, one.message]));
      assert.match(messages.get('permissions.alow') ?? '', /not known\. Known here: mode, allow, ask, deny, /);
      assert.ok(messages.has('permissions.dny'));
      if (method === 'POST') assert.match(messages.get('workspce') ?? '', /Known here: workspace, permissions, /);
    }
  });

  test('whose body is no object is told to give one', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    for (const [method, path] of [
      ['POST', '/v1/sessions'],
      ['PATCH', `/v1/sessions/${session}`],
      ['POST', `/v1/sessions/${session}/approvals`],
      ['POST', `/v1/sessions/${session}/tickets`],
    ] as const) {
      for (const body of ['[]', '7', '"text"']) {
        const { status, body: problem } = await server.request(method, path, body);
        assert.deepEqual([path, body, status, problem['errors'][0]], [path, body, 400, { path: '', message: 'Give a JSON object.' }]);
      }
    }
  });

  test('with a number that is none is told to give a whole one', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    for (const query of ['events?after=x', 'audit?after=1.5', 'turns?limit=many']) {
      const { status, body } = await server.request('GET', `/v1/sessions/${session}/${query}`);
      assert.deepEqual([query, status, body['errors'][0].message], [query, 400, 'Give a whole number.']);
      assert.match(query, new RegExp(`\\?${body['errors'][0].path}=`));
    }
  });

  test('that is too large is told the limit', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { body_bytes: 2_000 }) });
    const { status, body } = await server.request('POST', '/v1/sessions', { metadata: { text: 'x'.repeat(3_000) } });
    assert.equal(status, 413);
    assert.match(body['detail'], /2000 bytes/);
  });
});
