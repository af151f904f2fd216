// What a session is told of itself, from its start over changes to its end.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';
import { careful, newTrace, workTool } from '../support/test-tools.ts';
import { withConfigFile } from './config-file.ts';

const KEYS = [
  'id',
  'object',
  'created_at',
  'updated_at',
  'expires_at',
  'status',
  'workspace',
  'cwd',
  'permissions',
  'execution',
  'tools',
  'metadata',
  'todos',
  'last_seq',
];

describe('a session', () => {
  test('has the keys that its clients know, and runs while one of its turns does', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const id = await server.session({ metadata: { ticket: 'A-1' } });
    const { body } = await server.request('GET', `/v1/sessions/${id}`);
    for (const key of KEYS) assert.ok(key in body, key);
    assert.deepEqual(body['permissions'], {
      mode: 'bypassPermissions',
      allow: [],
      ask: [],
      deny: [],
      additional_dirs: [],
      ask_timeout_ms: 300_000,
    });
    assert.deepEqual(body['execution'], {
      max_concurrency: 10,
      schedule: 'partition',
      on_tool_error: 'cancel_siblings',
      on_disconnect: 'continue',
      call_ids: 'unique',
      input_idle_ms: 60_000,
    });
    assert.equal(Date.parse(body['expires_at']) - Date.parse(body['created_at']), 86_400_000);
    assert.match(body['tools'].hash, /^sha256:/);
    const running = server.post(id, [call('a', 'Work', { ms: 60_000 })]);
    await trace.until(() => trace.started.length === 1);
    assert.equal((await server.request('GET', `/v1/sessions/${id}`)).body['status'], 'running');
    await server.request('DELETE', `/v1/sessions/${id}`);
    await running;
  });

  test('that is deleted aborts what runs and takes back what it asks: who waits gets each result', async (t) => {
    const server = await startServer(t, { tools: [careful] });
    const id = await server.session({ permissions: { mode: 'default', allow: ['Bash'] } });
    const calls = [call('asks', 'Careful'), call('runs', 'Bash', { command: 'echo begun; sleep 600' })];
    const posted = server.post(id, calls);
    const socket = await server.socket(`/v1/sessions/${id}/stream?after=0`);
    await socket.type('progress');
    assert.equal((await server.request('DELETE', `/v1/sessions/${id}`)).status, 204);
    const { body } = await posted;
    assert.equal(body['turn'].status, 'aborted');
    assert.deepEqual(
      body['turn'].calls.map(({ outcome }: Json) => outcome),
      ['aborted', 'aborted'],
    );
    assert.equal(resultsOf(body).length, 2);
    assert.equal((await socket.closed).code, 4404);
    assert.equal((await server.request('DELETE', `/v1/sessions/${id}`)).status, 404);
  });

  test('that is changed goes on with its new variables, rules, width and time', async (t) => {
    const server = await startServer(t);
    const id = await server.session({ env: { KEPT: 'kept', GONE: 'gone' } });
    const path = `/v1/sessions/${id}`;
    const patched = await server.request('PATCH', path, {
      env: { GONE: null, ADDED: 'added' },
      permissions: { deny: ['Write'] },
      execution: { max_concurrency: 3 },
      ttl_ms: 60_000,
    });
    assert.equal(patched.status, 200);
    assert.deepEqual([patched.body['permissions'].deny, patched.body['execution'].max_concurrency], [['Write'], 3]);
    assert.equal(patched.body['permissions'].mode, 'bypassPermissions', 'what is not named stays');
    const left = Date.parse(patched.body['expires_at']) - Date.parse(patched.body['updated_at']);
    assert.ok(left > 0 && left <= 60_000);
    const { body } = await server.post(id, [
      call('env', 'Bash', { command: 'echo "$KEPT $GONE $ADDED"' }),
      call('write', 'Write', { file_path: 'a', content: 'x' }),
    ]);
    assert.equal(resultsOf(body)[0], 'env: kept  added');
    assert.equal(body['turn'].calls[1].outcome, 'denied');
    for (const key of ['workspace', 'hooks', 'mcp_servers', 'sandbox']) {
      const { status, body: refused } = await server.request('PATCH', path, { [key]: {} });
      assert.deepEqual([status, refused['errors'][0].path], [400, key]);
    }
  });

  test('tells the operator’s hooks when it starts and when it ends, once each', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-hooks-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const keep = (file: string): Json[] => [{ hooks: [{ type: 'command', command: `cat >> ${directory}/${file}` }] }];
    const env = await withConfigFile(t, { hooks: { SessionStart: keep('start'), SessionEnd: keep('end') } });
    const server = await startServer(t, { env });
    const id = await server.session();
    for (const each of ['a', 'b']) await server.post(id, [call(each, 'Glob', { pattern: '*' })]);
    await server.request('DELETE', `/v1/sessions/${id}`);
    const told = async (file: string): Promise<string> => readFile(join(directory, file), 'utf8').catch(() => '');
    while ((await told('end')) === '') await sleep(10);
    for (const [file, event] of [
      ['start', 'SessionStart'],
      ['end', 'SessionEnd'],
    ] as const) {
      const { session_id, hook_event_name } = JSON.parse(await told(file)) as Json;
      assert.deepEqual([session_id, hook_event_name], [id, event]);
    }
  });
});
