// A session's tools where several things change or use them at once.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { withConfigFile } from './config-file.ts';
import { call, startServer, type Json } from '../support/server.ts';

const custom = (name: string, more: Json = {}): Json => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  client: true,
  ...more,
});
const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => one['outcome']);

test('a tool that was loaded over REST stays loaded when a running turn loads another', async (t) => {
  const server = await startServer(t);
  const names = ['weather', 'clock'];
  const session = await server.session({ tools: { search: 'on', custom: names.map((name) => custom(name)) } });
  const socket = await server.socket(`/v1/sessions/${session}/stream`);
  socket.send({ type: 'tool_use', id: 'wait', name: 'Bash', input: { command: 'sleep 0.3' } });
  await socket.type('call_started');
  await server.request('POST', `/v1/sessions/${session}/tools/search`, { query: 'select:weather' });
  socket.send({ type: 'tool_use', id: 'find', name: 'ToolSearch', input: { query: 'select:clock' } });
  socket.send({ type: 'end' });
  await socket.type('turn_completed');
  const { body } = await server.request('GET', `/v1/sessions/${session}/tools?format=openai_chat`);
  const shown = (body['tools'] as Json[]).map((tool) => tool['function'].name as string);
  assert.deepEqual(shown.filter((name) => names.includes(name)).toSorted(), names.toSorted());
});

test('a custom tool with the name of one of the service is refused, at the start and by a change', async (t) => {
  const server = await startServer(t);
  const made = await server.request('POST', '/v1/sessions', { tools: { custom: [custom('fine'), custom('Read')] } });
  assert.deepEqual([made.status, made.body['errors'][0].path], [400, 'tools.custom[1].name']);
  const session = await server.session();
  const changed = await server.request('PATCH', `/v1/sessions/${session}`, { tools: { custom: [custom('Bash')] } });
  assert.equal(changed.status, 400);
});

test('metrics count guesses at tools that were never sent, and tell no names that clients make up', async (t) => {
  const server = await startServer(t);
  const session = await server.session({ tools: { search: 'on', custom: [custom('secret_project_tool')] } });
  const wrong = await server.post(session, [call('a', 'secret_project_tool', { town: 'x' })]);
  assert.deepEqual(outcomes(wrong.body), ['invalid_input']);
  assert.match(JSON.stringify(wrong.body['messages']), /select:secret_project_tool/);
  await server.post(session, [call('s', 'ToolSearch', { query: 'select:secret_project_tool' })]);
  const known = await server.post(session, [call('b', 'secret_project_tool', { town: 'x' })]);
  assert.doesNotMatch(JSON.stringify(known.body['messages']), /select:secret_project_tool/);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, /^toolexec_deferred_schema_not_sent_total\{tool="secret_project_tool",mcp="false"\} 1$/m);
  assert.match(metrics, /^toolexec_calls_total\{tool="custom",outcome="invalid_input"\} 2$/m);
});

test('what a rule takes away is neither listed nor found, and answered by that rule when it is called', async (t) => {
  const server = await startServer(t);
  const permissions = { mode: 'bypassPermissions', deny: ['Bash', 'weather'] };
  const session = await server.session({ permissions, tools: { custom: [custom('weather')] } });
  const found = await server.request('POST', `/v1/sessions/${session}/tools/search`, { query: 'select:Bash,weather' });
  assert.deepEqual(found.body['matches'], []);
  const { body } = await server.post(session, [
    call('s', 'ToolSearch', { query: 'select:Bash' }),
    call('a', 'Bash', { command: 'ls' }),
    call('b', 'weather', { city: 'x' }),
  ]);
  assert.deepEqual(outcomes(body), ['ok', 'denied', 'denied']);
  assert.doesNotMatch(JSON.stringify(body['messages'][0].content[0]), /can call them: Bash/);
});

test('what the operator leaves out, nobody brings back: no session, no server, no client', async (t) => {
  const env = await withConfigFile(t, { tools: { exclude: ['weather', 'Bash'] } });
  const server = await startServer(t, { env });
  const session = await server.session({ tools: { custom: [custom('weather'), custom('clock')], exclude: ['ToolSearch'] } });
  const { body } = await server.request('GET', `/v1/sessions/${session}/tools`);
  const names = (body['tools'] as Json[]).map(({ name }) => name as string);
  assert.ok(names.includes('clock') && names.includes('ToolSearch') && !names.includes('weather') && !names.includes('Bash'), names.join());
  const reply = await server.post(session, [call('a', 'weather', { city: 'x' })]);
  assert.deepEqual(outcomes(reply.body), ['unknown_tool']);
});

test('a plan waits for the servers that its calls name, as a turn does', async (t) => {
  const mcp = await mcpServer((request) => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }], request }));
  t.after(mcp.close);
  const env = await withConfigFile(t, { mcp_servers: { web: { type: 'http', url: mcp.url } } });
  const server = await startServer(t, { env });
  const session = await server.session();
  const message = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'mcp__web__look', input: {} }] };
  const { body } = await server.request('POST', `/v1/sessions/${session}/plan`, message);
  assert.deepEqual([body['calls'][0].valid, body['calls'][0].permission.behavior], [true, 'allow'], JSON.stringify(body));
});

/** The least that is an MCP server over HTTP. */
async function mcpServer(list: (request: Json) => Json): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const message = (text === '' ? {} : JSON.parse(text)) as Json;
      if (request.method !== 'POST') return response.writeHead(405).end();
      if (message['id'] === undefined) return response.writeHead(202).end();
      const result =
        message['method'] === 'initialize'
          ? { protocolVersion: message['params'].protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } }
          : message['method'] === 'tools/list'
            ? list(message)
            : undefined;
      const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close: () => server.close() };
}
