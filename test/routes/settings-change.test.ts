// Settings that change while others change, answer or end something.
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { withConfigFile } from './config-file.ts';
import { call, startServer, type Json } from '../support/server.ts';

describe('changes of a session', () => {
  test('at once are made one after another, and none is lost', async (t) => {
    const server = await startServer(t);
    await mkdir(join(server.root, 'more'));
    const session = await server.session();
    const path = `/v1/sessions/${session}`;
    const patches = [
      { permissions: { additional_dirs: [join(server.root, 'more')] } },
      { permissions: { deny: ['Read(./.env)'] } },
      { metadata: { a: 1 } },
      { permissions: { additional_dirs: [] } },
      { metadata: { b: 2 } },
    ];
    const replies = await Promise.all(patches.map((patch) => server.request('PATCH', path, patch)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      patches.map(() => 200),
    );
    const { body } = await server.request('GET', path);
    assert.deepEqual([body['permissions'].deny, body['metadata']], [['Read(./.env)'], { a: 1, b: 2 }]);
  });

  test('by an answer that came too late are not made', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' }, sandbox: { auto_allow_bash: false } });
    const { body } = await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
    const path = `/v1/sessions/${session}/approvals/${body['pending'][0].id}`;
    const replies = await Promise.all([
      server.request('POST', path, { behavior: 'deny' }),
      server.request('POST', path, { behavior: 'allow', remember: 'session' }),
      server.request('POST', path, { behavior: 'allow', apply_suggestions: [0] }),
    ]);
    assert.deepEqual(replies.map(({ status }) => String(status)).toSorted(), ['200', '409', '409']);
    const { body: after } = await server.request('GET', `/v1/sessions/${session}`);
    const won = replies.findIndex(({ status }) => status === 200);
    assert.equal(after['permissions'].allow.length, won === 0 ? 0 : 1);
  });

  test('by a list that names one question twice are refused whole', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' }, sandbox: { auto_allow_bash: false } });
    const { body } = await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
    const approval_id = body['pending'][0].id as string;
    const decisions = [
      { approval_id, behavior: 'allow' },
      { approval_id, behavior: 'deny' },
    ];
    assert.equal((await server.request('POST', `/v1/sessions/${session}/approvals`, { decisions })).status, 400);
    assert.equal((await server.request('GET', `/v1/sessions/${session}/approvals`)).body['data'].length, 1);
  });
});

test('a message behind one that waits for people is answered with what they are asked', async (t) => {
  const server = await startServer(t);
  const session = await server.session({ permissions: { mode: 'default' }, sandbox: { auto_allow_bash: false } });
  const first = await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
  const second = await server.post(session, [call('b', 'Bash', { command: 'echo two' })]);
  assert.deepEqual([second.body['turn'].status, second.body['pending']], ['requires_action', first.body['pending']]);
  assert.notEqual(second.body['turn'].id, first.body['turn'].id);
  await server.request('POST', `/v1/sessions/${session}/approvals/${first.body['pending'][0].id}`, { behavior: 'allow' });
  const again = await server.post(session, [call('b', 'Bash', { command: 'echo two' })]);
  assert.equal(again.body['turn'].status, 'completed');
});

test('sessions are listed from what is kept of them, also one whose directory is gone', async (t) => {
  const first = await startServer(t);
  const workspace = join(first.root, 'gone');
  await mkdir(workspace);
  const [kept, lost] = [await first.session(), await first.session({ workspace: { path: workspace } })];
  await first.post(kept, [call('a', 'Bash', { command: 'ls' })]);
  await first.close();
  await rm(workspace, { recursive: true });
  const second = await startServer(t, { dataDir: first.dataDir });
  const { status, body } = await second.request('GET', '/v1/sessions');
  assert.equal(status, 200);
  const shown = body['data'] as Json[];
  assert.deepEqual(shown.map(({ id }) => String(id)).toSorted(), [kept, lost].toSorted());
  const one = shown.find(({ id }) => id === kept) as Json;
  assert.deepEqual(one, (await second.request('GET', `/v1/sessions/${kept}`)).body);
});

/** Takes requests and never answers them. @returns its address, and how many were let go by their senders */
async function silentServer(t: TestContext): Promise<{ url: string; asked: Promise<void>; left: Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    asked.resolve();
    response.once('close', () => left.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked: asked.promise, left: left.promise };
}

test('a hook at the start of a session that never answers keeps nobody from deleting the session', async (t) => {
  const { url, asked, left } = await silentServer(t);
  const env = await withConfigFile(t, { hooks: { SessionStart: [{ hooks: [{ type: 'http', url, timeout: 3600 }] }] } });
  const server = await startServer(t, { env });
  const session = await server.session();
  await asked;
  assert.equal((await server.request('DELETE', `/v1/sessions/${session}`)).status, 204);
  await left;
});
