// Tools of MCP servers, as a client of the service meets them.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { withConfigFile } from './config-file.ts';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';

const require = createRequire(import.meta.url);
const program = (name: string): string => join(dirname(require.resolve(`${name}/package.json`)), 'dist', 'index.js');
const everything = program('@modelcontextprotocol/server-everything');
const names = (body: Json): string[] => body['tools'].map(({ name }: Json) => name);
const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => one['outcome']);

describe('the operator’s MCP servers', () => {
  test('are there for every session, connected when their tools are asked for or called', async (t) => {
    const env = await withConfigFile(t, {
      mcp_servers: { all: { type: 'stdio', command: process.execPath, args: [everything], sandbox: false } },
    });
    const server = await startServer(t, { env });
    const session = await server.session();
    const { body } = await server.post(session, [call('a', 'mcp__all__echo', { message: 'hello' }), call('b', 'mcp__all__nope')]);
    assert.match(resultsOf(body)[0] ?? '', /hello/);
    assert.deepEqual(outcomes(body), ['ok', 'unknown_tool']);
    const list = await server.request('GET', `/v1/sessions/${session}/tools`);
    const builtIn = names((await server.request('GET', '/v1/tools')).body);
    assert.deepEqual(names(list.body).slice(0, builtIn.length), builtIn);
    assert.ok(names(list.body).includes('mcp__all__echo'));
    const other = await server.session({ tools: { search: 'on' } });
    const found = await server.request('POST', `/v1/sessions/${other}/tools/search`, { query: 'echo a message back' });
    assert.equal(found.body['matches'][0].name, 'mcp__all__echo');
    const hidden = await server.request('GET', `/v1/sessions/${other}/tools?format=openai_chat`);
    const functions = (hidden.body['tools'] as Json[]).map((one) => one['function'].name as string);
    assert.ok(functions.includes('mcp__all__echo'), 'what was found counts as loaded');
    assert.ok(!functions.includes('mcp__all__get-sum'), 'what was not found is left out');
  });

  test('whose settings cannot be read stop the start with one line that says where', async (t) => {
    const env = await withConfigFile(t, { mcp_servers: { a: { type: 'stdio' } } });
    await assert.rejects(startServer(t, { env }), /TOOLEXEC_CONFIG, mcp_servers, a\.command: /);
  });
});

describe('a session’s MCP servers', () => {
  test('run in its sandbox from its workspace, and rules and questions hold for their tools', async (t) => {
    const server = await startServer(t);
    await writeFile(
      join(server.root, 'server.py'),
      [
        'import json, os, sys',
        'tool = {"name": "look", "description": "Looks.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}',
        'for line in sys.stdin:',
        '    m = json.loads(line)',
        '    if "id" not in m: continue',
        '    if m["method"] == "initialize": r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}',
        '    elif m["method"] == "tools/list": r = {"tools": [tool]}',
        '    elif m["method"] == "tools/call": r = {"content": [{"type": "text", "text": os.getcwd() + " " + str(os.path.exists(' +
          JSON.stringify(join(server.dataDir, 'toolexec.sqlite')) +
          '))}]}',
        '    else:',
        '        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}), flush=True)',
        '        continue',
        '    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)',
        '',
      ].join('\n'),
    );
    const options = {
      workspace: { path: server.root },
      mcp_servers: { own: { type: 'stdio', command: 'python3', args: ['server.py'] } },
    };
    const session = await server.session(options);
    const { body } = await server.post(session, [call('a', 'mcp__own__look')]);
    assert.deepEqual(resultsOf(body), [`a: ${server.root} False`]);
    const asking = await server.session({ ...options, permissions: { mode: 'default' } });
    const asked = await server.post(asking, [call('a', 'mcp__own__look')]);
    assert.equal(asked.body['turn'].status, 'requires_action', 'a hint of the server allows nothing');
    const denied = await server.session({ ...options, permissions: { mode: 'bypassPermissions', deny: ['mcp__own'] } });
    const refused = await server.post(denied, [call('a', 'mcp__own__look')]);
    assert.deepEqual(outcomes(refused.body), ['denied']);
    assert.ok(!names((await server.request('GET', `/v1/sessions/${denied}/tools`)).body).includes('mcp__own__look'));
  });

  test('are refused where nothing would hold their programs', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_SANDBOX: 'off' } });
    const made = await server.request('POST', '/v1/sessions', { mcp_servers: { own: { type: 'stdio', command: 'python3' } } });
    assert.deepEqual([made.status, made.body['errors'][0].path], [403, 'mcp_servers.own']);
  });

  test('that do not answer are waited for side by side', async (t) => {
    const server = await startServer(t);
    const silent = { type: 'stdio', command: 'sleep', args: ['1000'] };
    const session = await server.session({ mcp_servers: { one: silent, two: silent, three: silent } });
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    const asked = performance.now();
    for (const name of ['one', 'two', 'three']) socket.send({ type: 'tool_use', id: name, name: `mcp__${name}__x`, input: {} });
    socket.send({ type: 'tool_use', id: 'last', name: 'Bash', input: { command: 'true' } });
    socket.send({ type: 'end' });
    const first = (await socket.until((frame) => frame['tool_use_id'] === 'one' && frame['type'] === 'tool_result')) && performance.now();
    const { turn } = await socket.type('turn_completed');
    assert.deepEqual(outcomes({ turn }), ['unknown_tool', 'unknown_tool', 'unknown_tool', 'ok']);
    assert.ok(performance.now() - asked < 2 * (first - asked), 'one wait for all of them');
  });

  test('that cannot start cost their own calls alone, and the model is told why', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ mcp_servers: { bad: { type: 'stdio', command: '/nowhere/server' } } });
    const { body } = await server.post(session, [call('a', 'mcp__bad__x'), call('b', 'Bash', { command: 'echo b' })]);
    assert.deepEqual(outcomes(body), ['unknown_tool', 'ok']);
    assert.match(resultsOf(body)[0] ?? '', /The MCP server bad is not there: /);
    const list = await server.request('GET', `/v1/sessions/${session}/tools`);
    assert.equal(list.body['servers'][0].state, 'failed');
    assert.match(list.body['servers'][0].reason, /\/nowhere\/server/);
    const web = await server.session({ mcp_servers: { web: { type: 'http', url: 'http://127.0.0.1:9/mcp' } } });
    const search = await server.request('POST', `/v1/sessions/${web}/tools/search`, { query: 'anything' });
    assert.match(JSON.stringify(search.body['notes']), /web/);
  });
});
