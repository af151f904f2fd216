// The service of MCP on its own, behind it the plainest host there can be.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { createMcpService, type McpService } from '../../../src/mcp/server/mcp-service.ts';
import type { Caller, ToolHost, ToolHosts } from '../../../src/mcp/server/ports.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

interface Started {
  readonly service: McpService;
  /** Resolves when a host was let go of. */
  readonly closed: Promise<void>;
  /** What was reported as a fault of the service. */
  readonly reports: unknown[];
  readonly ask: (body: unknown, from?: { owner?: string; id?: string; accept?: string }) => Promise<Response>;
}

function start(
  t: TestContext,
  limits: { connectionsPerOwner?: number; idleMs?: number } = {},
  list: ToolHost['list'] = async () => [],
): Started {
  const closed = Promise.withResolvers<void>();
  const reports: unknown[] = [];
  const host: ToolHost = {
    list,
    begin: () => Promise.reject(new Error('not called')),
    close: async () => closed.resolve(),
  };
  const hosts: ToolHosts = { own: () => host, oneShots: () => host, existing: () => host };
  const service = createMcpService({
    hosts,
    report: (error) => reports.push(error),
    note: () => {},
    connectionsPerOwner: limits.connectionsPerOwner ?? 10,
    idleMs: limits.idleMs ?? 60_000,
  });
  t.after(() => service.close());
  return {
    service,
    closed: closed.promise,
    reports,
    async ask(body, { owner = 'one', id, accept = 'application/json, text/event-stream' } = {}) {
      const answered = Promise.withResolvers<void>();
      const caller: Caller = { owner, sessionId: null, body, reads: () => true, closed: answered.promise };
      service.assertRoom(caller);
      const headers = { accept, 'content-type': 'application/json', ...(id !== undefined && { 'mcp-session-id': id }) };
      const response = await service.answer(
        new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) }),
        caller,
      );
      const text = await response.text();
      answered.resolve();
      return new Response(text === '' ? null : text, response);
    },
  };
}

describe('a connection', () => {
  test('ends by itself when nothing has come from it for long, and is not there any more', async (t) => {
    const { ask, closed } = start(t, { idleMs: 1 });
    const begun = await ask(INITIALIZE);
    const id = begun.headers.get('mcp-session-id') ?? '';
    const alive = setInterval(() => {}, 1_000);
    await closed;
    clearInterval(alive);
    assert.equal((await ask({ jsonrpc: '2.0', id: 2, method: 'ping' }, { id })).status, 404);
  });

  test('is refused to a key that has as many as it may, and to no other', async (t) => {
    const { ask } = start(t, { connectionsPerOwner: 1 });
    const begun = await ask(INITIALIZE);
    assert.equal(begun.status, 200);
    await assert.rejects(ask(INITIALIZE), { code: 'too-many-requests' });
    assert.equal((await ask(INITIALIZE, { owner: 'two' })).status, 200);
    assert.equal((await ask({ jsonrpc: '2.0', id: 2, method: 'ping' }, { id: begun.headers.get('mcp-session-id') ?? '' })).status, 200);
  });

  test('that could not be made takes no room', async (t) => {
    const { ask, closed } = start(t, { connectionsPerOwner: 1 });
    assert.equal((await ask(INITIALIZE, { accept: 'application/json' })).status, 406);
    await closed;
    assert.equal((await ask(INITIALIZE)).status, 200);
  });

  test('gets the answers that are being made when the service stops', async (t) => {
    const listing = Promise.withResolvers<void>();
    const listed = Promise.withResolvers<unknown[]>();
    const { ask, service } = start(t, {}, () => {
      listing.resolve();
      return listed.promise;
    });
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const answering = ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { id });
    await listing.promise;
    const closing = service.close();
    listed.resolve([{ name: 'Last', inputSchema: { type: 'object' } }]);
    assert.match(await (await answering).text(), /"Last"/);
    await closing;
  });

  test('is told nothing of what fails inside but that it did; the operator is', async (t) => {
    const { ask, reports } = start(t, {}, () => Promise.reject(new Error('the secret of the house')));
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const text = await (await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { id })).text();
    assert.match(text, /-32603/);
    assert.doesNotMatch(text, /secret/);
    assert.match(String(reports[0]), /secret/);
  });
});
