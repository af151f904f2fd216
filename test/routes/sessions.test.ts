import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { access, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { workTool } from '../support/test-tools.ts';
import { call, startServer } from '../support/server.ts';

describe('sessions', () => {
  test('are made with defaults, shown, and deleted with the workspace of their own', async (t) => {
    const server = await startServer(t);
    const made = await server.request('POST', '/v1/sessions');
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `/v1/sessions/${made.body['id']}`);
    const { body } = made;
    assert.match(body['id'], /^ses_/);
    assert.deepEqual([body['object'], body['status'], body['last_seq'], body['todos']], ['session', 'idle', 0, []]);
    assert.equal(body['workspace'].ephemeral, true);
    assert.equal(body['cwd'], body['workspace'].path);
    assert.deepEqual(
      [body['permissions'].mode, body['execution'].max_concurrency, body['execution'].on_tool_error],
      ['default', 10, 'cancel_siblings'],
    );
    assert.match(body['created_at'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await access(body['workspace'].path);
    assert.equal((await server.request('DELETE', `/v1/sessions/${body['id']}`)).status, 204);
    await assert.rejects(access(body['workspace'].path));
    const gone = await server.request('GET', `/v1/sessions/${body['id']}`);
    assert.deepEqual([gone.status, gone.body['type']], [404, '/problems/session-not-found']);
  });

  test('use a directory only under the operator’s roots, and never remove it', async (t) => {
    const server = await startServer(t);
    await mkdir(join(server.root, 'project'));
    await symlink('/etc', join(server.root, 'link'));
    const id = await server.session({ workspace: { path: join(server.root, 'project') } });
    await server.request('DELETE', `/v1/sessions/${id}`);
    await access(join(server.root, 'project'));
    assert.equal((await server.request('POST', '/v1/sessions', { workspace: { path: server.root } })).status, 201);
    for (const path of [
      '/etc',
      `${server.root}2`,
      `${server.root}/../..`,
      join(server.root, 'link'),
      '/nowhere/at/all',
      dirname(server.root),
    ]) {
      const { status, body } = await server.request('POST', '/v1/sessions', { workspace: { path } });
      assert.deepEqual([path, status, body['type']], [path, 403, '/problems/forbidden']);
    }
    assert.equal((await server.request('POST', '/v1/sessions', { workspace: { path: 'relative' } })).status, 400);
    const missing = await server.request('POST', '/v1/sessions', { workspace: { path: join(server.root, 'nowhere') } });
    assert.equal(missing.status, 400);
    assert.match(missing.body['detail'], /does not exist: make the directory first/);
  });

  test('refuse options they would lose or that would weaken them, and say where', async (t) => {
    const server = await startServer(t);
    const refused: [unknown, string][] = [
      [{ nope: 1 }, 'nope'],
      [{ permissions: { mode: 'yolo' } }, 'permissions.mode'],
      [{ permissions: { deny: ['Bash(ls', 'Read(./.env)'] } }, 'permissions.deny[0]'],
      [{ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [] }] } }, 'hooks.PreToolUse[0].hooks'],
      [{ mcp_servers: { a: {} } }, 'mcp_servers.a.type'],
      [{ mcp_servers: { 'a b': { type: 'stdio', command: 'x' } } }, 'mcp_servers["a b"]'],
      [{ tools: { custom: [{ name: 'a b' }] } }, 'tools.custom[0].name'],
      [{ execution: { max_concurrency: 0 } }, 'execution.max_concurrency'],
      [{ execution: { schedule: 'later' } }, 'execution.schedule'],
      [{ env: { PATH: '/evil' } }, 'env.PATH'],
      [{ env: { LD_PRELOAD: 'x' } }, 'env.LD_PRELOAD'],
      [{ env: { GIT_DIR: 'x' } }, 'env.GIT_DIR'],
      [{ env: { NODE_OPTIONS: '--require x' } }, 'env.NODE_OPTIONS'],
      [{ env: { 'A=B': 'x' } }, 'env["A=B"]'],
      [{ env: { A: 'x\0y' } }, 'env.A'],
      [{ env: { npm_config_script_shell: '/x' } }, 'env.npm_config_script_shell'],
      [{ env: { GCONV_PATH: '/x' } }, 'env.GCONV_PATH'],
      [{ env: { POSIXLY_CORRECT: '1' } }, 'env.POSIXLY_CORRECT'],
      [{ ttl_ms: -1 }, 'ttl_ms'],
    ];
    for (const [options, path] of refused) {
      const { status, headers, body } = await server.request('POST', '/v1/sessions', options);
      assert.deepEqual([JSON.stringify(options), status], [JSON.stringify(options), 400]);
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.equal(body['errors'][0].path, path, JSON.stringify(body));
    }
    assert.equal((await server.request('POST', '/v1/sessions', { sandbox: { mode: 'off' } })).status, 403);
  });

  test('take only the modes that the operator allows', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_ALLOWED_MODES: 'default,acceptEdits' } });
    assert.equal((await server.request('POST', '/v1/sessions', { permissions: { mode: 'acceptEdits' } })).status, 201);
    const made = await server.request('POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
    assert.equal(made.status, 403);
  });

  test('are listed newest first, page by page', async (t) => {
    const server = await startServer(t);
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await server.session());
    const first = (await server.request('GET', '/v1/sessions?limit=3')).body;
    const second = (await server.request('GET', `/v1/sessions?limit=3&cursor=${first['next_cursor']}`)).body;
    assert.deepEqual(
      [...first['data'], ...second['data']].map(({ id }) => id),
      ids.toReversed(),
    );
    assert.equal(second['next_cursor'], undefined);
    assert.equal((await server.request('GET', '/v1/sessions?cursor=nonsense')).status, 400);
    assert.equal((await server.request('GET', '/v1/sessions?limit=0')).status, 400);
  });

  test('change by a merge patch, and refuse what cannot be changed', async (t) => {
    const server = await startServer(t);
    const id = await server.session({ metadata: { a: 1, b: 2 } });
    const patched = await server.request('PATCH', `/v1/sessions/${id}`, {
      metadata: { a: null, c: 3 },
      permissions: { mode: 'acceptEdits' },
    });
    assert.equal(patched.status, 200);
    assert.deepEqual(patched.body['metadata'], { b: 2, c: 3 });
    assert.equal(patched.body['permissions'].mode, 'acceptEdits');
    assert.equal((await server.request('PATCH', `/v1/sessions/${id}`, { workspace: { path: '/' } })).status, 400);
    assert.equal((await server.request('PATCH', `/v1/sessions/${id}`, { permissions: { mode: 'nope' } })).status, 400);
  });

  test('end by themselves when their time is over', async (t) => {
    const server = await startServer(t);
    const { body } = await server.request('POST', '/v1/sessions', { ttl_ms: 1000 });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.equal((await server.request('GET', `/v1/sessions/${body['id']}`)).status, 404);
  });

  test('use only the tools they name', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const id = await server.session({ tools: { include: ['Read', 'Work'], exclude: ['Work'] } });
    const { body } = await server.request('GET', `/v1/sessions/${id}/tools`);
    assert.deepEqual(
      body['tools'].map(({ name }: { name: string }) => name),
      ['Read', 'ToolSearch'],
    );
    const reply = await server.post(id, [call('a', 'Work')]);
    assert.equal(reply.body['turn'].calls[0].outcome, 'unknown_tool');
  });

  test('keep their own environment for commands', async (t) => {
    const server = await startServer(t);
    const id = await server.session({ env: { GREETING: 'hello' } });
    const reply = await server.post(id, [call('a', 'Bash', { command: 'echo "$GREETING"; env | grep -c TOOLEXEC' })]);
    assert.match(JSON.stringify(reply.body['messages']), /hello\\n0/);
  });
});

describe('tools', () => {
  test('are given as each model API takes them, with a hash as ETag', async (t) => {
    const server = await startServer(t);
    const anthropic = await server.request('GET', '/v1/tools');
    assert.equal(anthropic.headers.get('etag'), `"${anthropic.body['hash']}"`);
    const names: string[] = anthropic.body['tools'].map(({ name }: { name: string }) => name);
    for (const name of ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write']) assert.ok(names.includes(name), name);
    for (const tool of anthropic.body['tools']) {
      assert.equal(tool.input_schema.type, 'object');
      assert.ok(tool.description.length > 0);
    }
    assert.equal((await server.request('GET', '/v1/tools', undefined, { 'if-none-match': `"${anthropic.body['hash']}"` })).status, 304);
    assert.equal((await server.request('GET', '/v1/tools?format=openai_chat')).body['tools'][0].function.name, names[0]);
    assert.equal((await server.request('GET', '/v1/tools?format=openai_responses')).body['tools'][0].type, 'function');
    assert.ok((await server.request('GET', '/v1/tools?format=mcp')).body['tools'][0].inputSchema);
    assert.equal((await server.request('GET', '/v1/tools?format=nope')).status, 400);
  });
});

test('a file written through one session is not readable through another', async (t) => {
  const server = await startServer(t);
  const [one, two] = [await server.session(), await server.session()];
  const { body } = await server.request('GET', `/v1/sessions/${one}`);
  await writeFile(join(body['workspace'].path, 'secret.txt'), 'canary');
  const reply = await server.post(two, [call('a', 'Read', { file_path: join(body['workspace'].path, 'secret.txt') })]);
  assert.doesNotMatch(JSON.stringify(reply.body), /canary/);
  assert.equal(reply.body['turn'].calls[0].is_error, true);
});
