// Connections of MCP clients, and requests to the letter, against the real service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../src/contract/index.ts';
import { ACCEPT, allGone, as, careful, freeTool, KEYS, sessions } from '../mcp/server/client-tools.ts';
import { connectClient, REVISIONS, textIn } from '../mcp/server/connect-client.ts';
import { startServer, type Json } from '../support/server.ts';
import { newTrace } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';
import { rawRequest } from './raw-request.ts';

describe('a connection', () => {
  const revision = '2025-11-25';

  test('has a session of its own, whose files stay until it ends and which no other connection sees', async (t) => {
    const server = await startServer(t);
    const answer = () => ({ action: 'accept' as const });
    const [one, two] = await Promise.all([connectClient(t, server, { revision, answer }), connectClient(t, server, { revision, answer })]);
    const write = ({ client }: typeof one, content: string) =>
      client.callTool({ name: 'Write', arguments: { file_path: 'a.txt', content } });
    const read = async ({ client }: typeof one) => textIn(await client.callTool({ name: 'Read', arguments: { file_path: 'a.txt' } }));
    await Promise.all([write(one, 'first'), write(two, 'second')]);
    assert.deepEqual(
      (await Promise.all([read(one), read(two)])).map((text) => text.replace(/^\d+\t/, '')),
      ['first', 'second'],
    );
    assert.equal((await sessions(server)).length, 2);
    await one.transport.terminateSession();
    while ((await sessions(server)).length > 1) await sleep(10);
    await assert.rejects(read(one));
  });

  test('has no session before it needs one', async (t) => {
    const server = await startServer(t);
    const { client } = await connectClient(t, server, { revision });
    await client.ping();
    assert.deepEqual(await sessions(server), []);
    await client.listTools();
    assert.equal((await sessions(server)).length, 1);
  });

  test('that ends cancels what runs in its session', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [freeTool(trace)] });
    const { client, transport } = await connectClient(t, server, { revision });
    const called = client.callTool({ name: 'Work', arguments: { ms: 60_000 } });
    called.catch(() => {
      // Nobody answers it any more.
    });
    await trace.until(() => trace.started.length === 1);
    await transport.terminateSession();
    await trace.until(() => trace.finished.length === 1);
    await allGone(server);
  });

  test('ends with the session that it works in', async (t) => {
    const server = await startServer(t);
    const { client, transport } = await connectClient(t, server, { revision });
    await client.listTools();
    const [own] = await sessions(server);
    await server.request('DELETE', `/v1/sessions/${own?.['id']}`);
    const named = { 'mcp-session-id': transport.sessionId ?? '', ...ACCEPT };
    while ((await server.request('POST', '/mcp', { jsonrpc: '2.0', id: 9, method: 'ping' }, named)).status !== 404) await sleep(10);
  });

  test('has the answer of a call that is cancelled end without one', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [freeTool(trace)] });
    const { transport } = await connectClient(t, server, { revision });
    const named = { 'mcp-session-id': transport.sessionId ?? '', ...ACCEPT };
    const params = { name: 'Work', arguments: { ms: 60_000 } };
    const called = server.request('POST', '/mcp', { jsonrpc: '2.0', id: 77, method: 'tools/call', params }, named);
    await trace.until(() => trace.started.length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } };
    assert.equal((await server.request('POST', '/mcp', cancel, named)).status, 202);
    const { status, body } = await called;
    assert.deepEqual([status, body], [200, {}]);
  });

  test('that goes on when its client cancels a question has cancelled the call as well', async (t) => {
    const server = await startServer(t, { tools: [careful] });
    const sessionId = await server.session({ permissions: { mode: 'acceptEdits' } });
    const asking = Promise.withResolvers<void>();
    const answer = (): Promise<never> => {
      asking.resolve();
      return new Promise(() => {});
    };
    const { client } = await connectClient(t, server, { revision, sessionId, answer });
    const leaving = new AbortController();
    const called = client.callTool({ name: 'Careful' }, { signal: leaving.signal });
    await asking.promise;
    leaving.abort();
    await assert.rejects(called);
    let turn: Json = {};
    while (turn['status'] !== 'completed') turn = (await server.request('GET', `/v1/sessions/${sessionId}/turns`)).body['data'][0];
    assert.equal(turn['calls'][0].outcome, 'aborted');
  });

  test('whose question is answered with a fault has cancelled the call, so that others go on', async (t) => {
    const server = await startServer(t, { tools: [careful, freeTool()] });
    const answer = (): never => {
      throw new Error('There is nobody here.');
    };
    const { client } = await connectClient(t, server, { revision, answer });
    const failed = await client.callTool({ name: 'Careful' });
    assert.equal(failed.isError, true);
    assert.match(textIn(failed), /There is nobody here/);
    assert.equal(textIn(await client.callTool({ name: 'Work', arguments: { label: 'next' } })), 'done next');
  });

  test('is told when the settings of its session have changed its tools, and lists them then', async (t) => {
    const server = await startServer(t, { tools: [freeTool()] });
    const sessionId = await server.session();
    const changed = Promise.withResolvers<string[]>();
    const listChanged = {
      tools: { onChanged: (_: unknown, tools: { name: string }[] | null) => changed.resolve((tools ?? []).map(({ name }) => name)) },
    };
    const { client } = await connectClient(t, server, { revision, sessionId, listChanged });
    assert.ok((await client.listTools()).tools.some(({ name }) => name === 'Work'));
    const { status } = await server.request('PATCH', `/v1/sessions/${sessionId}`, { tools: { exclude: ['Work'] } });
    assert.equal(status, 200);
    await client.ping();
    const names = await changed.promise;
    assert.ok(names.includes('Read') && !names.includes('Work'), names.join());
  });

  test('is told when a search has loaded a tool, and lists it then', async (t) => {
    const later = buildTool({ ...freeTool(), name: 'Later', searchHint: 'much later', shouldDefer: true });
    const server = await startServer(t, { tools: [later] });
    const sessionId = await server.session({ tools: { search: 'on' } });
    const changed = Promise.withResolvers<string[]>();
    const listChanged = {
      tools: { onChanged: (_: unknown, tools: { name: string }[] | null) => changed.resolve((tools ?? []).map(({ name }) => name)) },
    };
    const { client } = await connectClient(t, server, { revision, sessionId, listChanged });
    assert.ok(!(await client.listTools()).tools.some(({ name }) => name === 'Later'));
    const found = await client.callTool({ name: 'ToolSearch', arguments: { query: 'select:Later' } });
    assert.match(textIn(found), /Later[^]*"label"/, 'its definition, for the model');
    assert.ok((await changed.promise).includes('Later'));
  });

  test('belongs to its key: with another one it is not there', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const { transport } = await connectClient(t, server, { revision, key: 'first-secret' });
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const named = { 'mcp-session-id': transport.sessionId ?? '', ...ACCEPT };
    assert.equal((await server.request('POST', '/mcp', message, { ...named, ...as('second-secret') })).status, 404);
    assert.equal((await server.request('DELETE', '/mcp', undefined, { ...named, ...as('second-secret') })).status, 404);
    assert.equal((await server.request('POST', '/mcp', message, { ...named, ...as('first-secret') })).status, 200);
  });
});

describe('a request to /mcp', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };

  test('without a key, from a foreign page or by a foreign name is refused', async (t) => {
    const server = await startServer(t, { env: KEYS });
    assert.equal((await server.request('POST', '/mcp', initialize, ACCEPT)).status, 401);
    const foreign = { ...ACCEPT, ...as('first-secret'), origin: 'https://evil.example' };
    assert.equal((await server.request('POST', '/mcp', initialize, foreign)).status, 403);
    const { status } = await rawRequest(server.url, ['GET /mcp HTTP/1.1', 'Host: evil.example', 'Authorization: Bearer first-secret']);
    assert.equal(status, 403);
  });

  test('that belongs to no connection is told what to send', async (t) => {
    const server = await startServer(t);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const nameless = await server.request('POST', '/mcp', list, ACCEPT);
    assert.deepEqual([nameless.status, nameless.body['jsonrpc']], [400, '2.0']);
    assert.match(nameless.body['error'].message, /initialize/);
    assert.equal((await server.request('POST', '/mcp', list, { ...ACCEPT, 'mcp-session-id': 'none' })).status, 404);
    assert.equal((await server.request('GET', '/mcp', undefined, { accept: 'text/event-stream' })).status, 400);
    assert.equal((await server.request('POST', '/mcp', undefined, ACCEPT)).status, 400);
    assert.equal((await server.request('POST', '/mcp', '{', ACCEPT)).status, 400);
    assert.equal((await server.request('POST', '/mcp', initialize)).status, 406);
    assert.equal((await server.request('POST', '/mcp?session_id=none', initialize, ACCEPT)).status, 404);
  });

  test('larger than bodies may be is refused', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { body_bytes: 2_000 }) });
    const { status } = await server.request('POST', '/mcp', { ...initialize, padding: 'x'.repeat(3_000) }, ACCEPT);
    assert.equal(status, 413);
  });

  test('whose answer nobody reads is cut off', async (t) => {
    const data = 'A'.repeat(8_000_000);
    const large = buildTool({
      name: 'Large',
      description: () => 'Shows a large image.',
      inputSchema: z.strictObject({}),
      permissionSubjects: () => [],
      call: () => ({ content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] }),
    }) as Tool;
    const server = await startServer(t, {
      tools: [large],
      env: await withLimits(t, { event_streams_per_key: 1, reader_patience_ms: 100 }),
    });
    const begun = await server.request('POST', '/mcp', initialize, ACCEPT);
    const headers = { ...ACCEPT, 'content-type': 'application/json', 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'Large' } });
    const unread = request(`${server.url}/mcp`, { method: 'POST', headers }).on('error', () => {
      // It is cut off.
    });
    t.after(() => unread.destroy());
    const [response] = (await once(unread.end(call), 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    let status = 429;
    while (status === 429) {
      await sleep(20);
      status = (await server.request('POST', '/mcp', { jsonrpc: '2.0', id: 3, method: 'ping' }, headers)).status;
    }
    assert.equal(status, 200);
  });

  test('opens no more streams than its key may have', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { event_streams_per_key: 1 }) });
    const begun = await server.request('POST', '/mcp', initialize, ACCEPT);
    assert.equal(begun.status, 200);
    const named = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const leaving = new AbortController();
    const open = await fetch(`${server.url}/mcp`, { headers: { ...named, accept: 'text/event-stream' }, signal: leaving.signal });
    assert.equal(open.status, 200);
    assert.equal((await server.request('GET', '/mcp', undefined, { ...named, accept: 'text/event-stream' })).status, 429);
    leaving.abort();
    let status = 429;
    while (status === 429) {
      await sleep(10);
      const again = new AbortController();
      ({ status } = await fetch(`${server.url}/mcp`, { headers: { ...named, accept: 'text/event-stream' }, signal: again.signal }));
      again.abort();
    }
    assert.equal(status, 200, 'the stream that was left is not in the way');
  });
});

test('a question to the client itself is answered at once over MCP, where nobody could answer it', async (t) => {
  const server = await startServer(t);
  for (const revision of REVISIONS) {
    const { client } = await connectClient(t, server, { revision, answer: () => assert.fail('It is no question of yes or no.') });
    const options = ['one', 'two'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which?', header: 'Which', options, multiSelect: false }];
    const result = await client.callTool({ name: 'AskUserQuestion', arguments: { questions } });
    assert.equal(result.isError, true);
    assert.match(textIn(result), /Nobody can answer this here/);
  }
});
