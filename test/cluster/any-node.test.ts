// Whatever a client asks of the node that does not work on its session is answered as the one that does would answer it.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';
import { sharedStore } from './shared-store.ts';

const shared = await sharedStore(15_000);
const MIB = 1024 * 1024;

const labels = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);

test('a session is served by every node', async (t) => {
  const dataDir = shared.directory('two');
  const env = { ...shared.env, TOOLEXEC_ALLOWED_ORIGINS: 'https://app.example' };
  const [owner, other] = await Promise.all([startServer(t, { env, dataDir }), startServer(t, { env, dataDir })]);
  const made = (options: Json = {}): Promise<string> => owner.session(options);

  await t.test('shown, changed, listed and deleted', async () => {
    const id = await made();
    const [here, there] = await Promise.all([owner, other].map((node) => node.request('GET', `/v1/sessions/${id}`)));
    assert.equal(there?.status, 200);
    assert.deepEqual(there?.body, here?.body);
    const changed = await other.request('PATCH', `/v1/sessions/${id}`, { metadata: { step: 2 } });
    assert.deepEqual([changed.status, changed.body['metadata']], [200, { step: 2 }]);
    assert.deepEqual((await owner.request('GET', `/v1/sessions/${id}`)).body['metadata'], { step: 2 });
    const wrong = await other.request('PATCH', `/v1/sessions/${id}`, { execution: { max_concurrency: 'many' } });
    assert.deepEqual([wrong.status, wrong.body['errors'][0].path], [400, 'execution.max_concurrency']);
    assert.equal((await other.request('DELETE', `/v1/sessions/${id}`)).status, 204);
    assert.equal((await owner.request('GET', `/v1/sessions/${id}`)).status, 404);
    assert.equal((await other.request('GET', `/v1/sessions/${id}`)).status, 404);
    assert.equal((await other.request('DELETE', `/v1/sessions/${id}`)).status, 404);
  });

  await t.test('messages run, are answered in the order of the calls, and are repeated without running again', async () => {
    const id = await made();
    const calls = [call('a', 'Bash', { command: 'sleep 0.3; echo a >> made; echo a' }), call('b', 'Bash', { command: 'echo b' })];
    const first = await other.post(id, calls);
    assert.equal(first.status, 200);
    assert.deepEqual(resultsOf(first.body), ['a: a', 'b: b']);
    for (const node of [owner, other]) {
      const again = await node.post(id, calls);
      assert.equal(again.headers.get('toolexec-replayed'), 'true');
      assert.deepEqual(again.body['messages'], first.body['messages']);
    }
    const reused = await other.post(id, [call('a', 'Bash', { command: 'echo other' })]);
    assert.equal(reused.body['type'], '/problems/tool-use-id-reused');
    const { body } = await other.request('GET', `/v1/sessions/${id}/turns/${first.body['turn'].id}`);
    assert.deepEqual(body['messages'], first.body['messages']);
    assert.equal((await other.request('GET', `/v1/sessions/${id}/audit`)).status, 200);
  });

  await t.test('an Idempotency-Key means the same at every node', async () => {
    const id = await made({ execution: { call_ids: 'per_message' } });
    const calls = [call('call_0', 'Bash', { command: 'echo x >> effects; wc -l < effects' })];
    const replies = [await other.post(id, calls, { 'idempotency-key': 'k1' }), await owner.post(id, calls, { 'idempotency-key': 'k1' })];
    assert.deepEqual(
      replies.map(({ body }) => resultsOf(body)[0]?.trim()),
      ['call_0: 1', 'call_0: 1'],
    );
    assert.equal(replies[1]?.headers.get('toolexec-replayed'), 'true');
  });

  await t.test('files of any size go in and out', async () => {
    const id = await made();
    const bytes = randomBytes(50 * MIB);
    const put = await fetch(`${other.url}/v1/sessions/${id}/files/deep/big.bin`, { method: 'PUT', body: bytes });
    assert.equal(put.status, 201);
    const etag = put.headers.get('etag') ?? '';
    const { body: session } = await owner.request('GET', `/v1/sessions/${id}`);
    const digest = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
    assert.equal(digest(await readFile(join(session['workspace'].path, 'deep/big.bin'))), digest(bytes));
    const got = await fetch(`${other.url}/v1/sessions/${id}/files/deep/big.bin`);
    assert.equal(got.headers.get('content-length'), `${bytes.length}`);
    assert.equal(digest(new Uint8Array(await got.arrayBuffer())), digest(bytes));
    const part = await fetch(`${other.url}/v1/sessions/${id}/files/deep/big.bin`, { headers: { range: 'bytes=5-9' } });
    assert.deepEqual([part.status, Buffer.from(await part.arrayBuffer())], [206, bytes.subarray(5, 10)]);
    const known = await fetch(`${other.url}/v1/sessions/${id}/files/deep/big.bin`, { headers: { 'if-none-match': etag } });
    assert.equal(known.status, 304);
    const head = await fetch(`${other.url}/v1/sessions/${id}/files/deep/big.bin`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, `${bytes.length}`]);
    const lost = await fetch(`${other.url}/v1/sessions/${id}/files/deep/big.bin`, {
      method: 'PUT',
      body: 'x',
      headers: { 'if-match': '"no"' },
    });
    assert.equal(lost.status, 412);
    const listed = await other.request('GET', `/v1/sessions/${id}/files/deep`);
    assert.deepEqual(
      listed.body['data'].map(({ name }: Json) => name),
      ['big.bin'],
    );
    const tar = await fetch(`${other.url}/v1/sessions/${id}/archive`);
    const target = await made();
    const unpacked = await fetch(`${other.url}/v1/sessions/${target}/archive`, {
      method: 'PUT',
      body: new Uint8Array(await tar.arrayBuffer()),
    });
    assert.deepEqual(await unpacked.json(), { files: 1, bytes: bytes.length });
    assert.equal((await other.request('DELETE', `/v1/sessions/${id}/files/deep?recursive=true`)).status, 204);
    assert.equal((await owner.request('GET', `/v1/sessions/${id}/files/deep/big.bin`)).status, 404);
  });

  await t.test('a turn is aborted, a task is stopped, a state is gone back to', async () => {
    const id = await made();
    const { headers, status } = await other.post(id, [call('a', 'Bash', { command: 'sleep 1000' })], { prefer: 'respond-async' });
    assert.equal(status, 202);
    const turn = headers.get('location') ?? '';
    assert.equal((await other.request('POST', `${turn}/abort`, { reason: 'enough' })).status, 202);
    const ended = await other.request('GET', turn, undefined, { prefer: 'wait=30' });
    assert.deepEqual([ended.body['turn'].status, ended.body['turn'].calls[0].outcome], ['aborted', 'aborted']);
    await other.post(id, [call('b', 'Bash', { command: 'echo begun; sleep 1000', run_in_background: true })]);
    const { body: tasks } = await other.request('GET', `/v1/sessions/${id}/tasks`);
    const task = `/v1/sessions/${id}/tasks/${tasks['data'][0].id}`;
    assert.equal((await other.request('POST', `${task}/stop`)).body['status'], 'stopped');
    await other.post(id, [call('c', 'Write', { file_path: 'made.txt', content: 'x' })]);
    const { body: states } = await other.request('GET', `/v1/sessions/${id}/checkpoints`);
    const { id: state } = (states['data'] as Json[]).find(({ files }) => files !== 0) ?? states['data'][0];
    assert.equal((await other.request('POST', `/v1/sessions/${id}/checkpoints/${state}/rewind`, {})).status, 200);
  });

  await t.test('a question is answered, and a call of the client, over REST', async () => {
    const custom = [{ name: 'pick_color', description: 'Asks.', input_schema: { type: 'object' }, client: true }];
    const id = await made({ permissions: { mode: 'bypassPermissions', ask: ['Bash'] }, tools: { custom } });
    const calls = [call('a', 'Bash', { command: 'echo a' }), call('b', 'pick_color')];
    const waits = await other.post(id, calls);
    assert.equal(waits.body['turn'].status, 'requires_action');
    const { body: open } = await other.request('GET', `/v1/sessions/${id}/approvals`);
    await other.request('POST', `/v1/sessions/${id}/approvals/${open['data'][0].id}`, { behavior: 'allow' });
    const turn = `/v1/sessions/${id}/turns/${waits.body['turn'].id}`;
    while ((await other.request('POST', `${turn}/calls/b/result`, { content: 'red' })).status !== 200);
    assert.deepEqual(resultsOf((await other.post(id, calls)).body), ['a: a', 'b: red']);
  });

  await t.test('one tool is run by its name, and over MCP', async () => {
    const id = await made();
    const given = { name: 'Bash', arguments: { command: 'echo "ü \u2028 $PWD"' }, session_id: id };
    const [here, there] = [await owner.request('POST', '/v1/call', given), await other.request('POST', '/v1/call', given)];
    assert.equal(there.status, 200);
    assert.equal(there.body['result'], here.body['result']);
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    const mcp = { accept: 'application/json, text/event-stream' };
    const begun = await other.request('POST', `/mcp?session_id=${id}`, message, mcp);
    const connection = begun.headers.get('mcp-session-id') ?? '';
    assert.notEqual(connection, '');
    const ran = await other.request(
      'POST',
      `/mcp?session_id=${id}`,
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'Bash', arguments: { command: 'echo over mcp' } } },
      { ...mcp, 'mcp-session-id': connection, 'mcp-protocol-version': '2025-06-18' },
    );
    assert.match(ran.body['text'] ?? JSON.stringify(ran.body), /over mcp/);
    const turns = await owner.request('GET', `/v1/sessions/${id}/turns`);
    assert.equal(turns.body['data'].length, 3, 'all in that session');
  });

  await t.test('pages get the headers that let them read', async () => {
    const id = await made();
    const reply = await fetch(`${other.url}/v1/sessions/${id}`, { headers: { origin: 'https://app.example' } });
    assert.deepEqual([reply.status, reply.headers.get('access-control-allow-origin')], [200, 'https://app.example']);
    const foreign = await fetch(`${other.url}/v1/sessions/${id}`, { headers: { origin: 'https://else.example' } });
    assert.equal(foreign.status, 403);
  });

  await t.test('a session that is open here costs no look-up in the store', async () => {
    const id = await made();
    const client = await shared.redis.client();
    const asked = async (): Promise<number> => {
      const stats = await client.info('commandstats');
      return [...stats.matchAll(/^cmdstat_(?:get|hgetall|hmget|evalsha):calls=(\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await owner.request('GET', `/v1/sessions/${id}`);
    const before = await asked();
    for (const _ of labels(300)) await owner.request('GET', `/v1/sessions/${id}`);
    assert.ok((await asked()) - before < 150, 'what comes of timers alone');
  });
});
