// The service of MCP on its own, behind it the plainest host there can be.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createMcpService, type McpService } from '../../../src/mcp/server/mcp-service.ts';
import type { Caller, HostClient, ToolHost, ToolHosts } from '../../../src/mcp/server/ports.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

interface Started {
  readonly service: McpService;
  /** The clients that there were, as their hosts see them. */
  readonly clients: HostClient[];
  /** Resolves when a host was let go of. */
  readonly closed: Promise<void>;
  /** What was reported as a fault of the service. */
  readonly reports: unknown[];
  readonly ask: (body: unknown, from?: { owner?: string; id?: string; accept?: string }) => Promise<Response>;
  /** Listens to a connection until `leave` is called. */
  readonly listen: (id: string) => Promise<{ readonly response: Response; readonly leave: () => void }>;
}

function start(
  t: TestContext,
  limits: { connectionsPerOwner?: number; idleMs?: number; lookMs?: number } = {},
  own: Partial<ToolHost> = {},
): Started {
  const closed = Promise.withResolvers<void>();
  const reports: unknown[] = [];
  const clients: HostClient[] = [];
  const host: ToolHost = {
    list: async () => [],
    begin: () => Promise.reject(new Error('not called')),
    look: () => {},
    close: async () => closed.resolve(),
    ...own,
  };
  const hostFor = (client: HostClient): ToolHost => {
    clients.push(client);
    return host;
  };
  const hosts: ToolHosts = { own: hostFor, oneShots: hostFor, existing: hostFor };
  const service = createMcpService({
    hosts,
    report: (error) => reports.push(error),
    note: () => {},
    connectionsPerOwner: limits.connectionsPerOwner ?? 10,
    idleMs: limits.idleMs ?? 60_000,
    ...(limits.lookMs !== undefined && { lookMs: limits.lookMs }),
  });
  t.after(() => service.close());
  return {
    service,
    clients,
    async listen(id) {
      const left = Promise.withResolvers<void>();
      const caller: Caller = { owner: 'one', sessionId: null, reads: () => true, closed: left.promise };
      const headers = { accept: 'text/event-stream', 'mcp-session-id': id };
      return { response: await service.answer(new Request('http://localhost/mcp', { headers }), caller), leave: left.resolve };
    },
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
    const list = (): Promise<unknown[]> => {
      listing.resolve();
      return listed.promise;
    };
    const { ask, service } = start(t, {}, { list });
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const answering = ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { id });
    await listing.promise;
    const closing = service.close();
    listed.resolve([{ name: 'Last', inputSchema: { type: 'object' } }]);
    assert.match(await (await answering).text(), /"Last"/);
    await closing;
  });

  test('that asks twice with one id is refused the second time, gets its first answer, and may use the id again then', async (t) => {
    const listing = Promise.withResolvers<void>();
    const listed = Promise.withResolvers<unknown[]>();
    const list = (): Promise<unknown[]> => {
      listing.resolve();
      return listed.promise;
    };
    const { ask } = start(t, {}, { list });
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
    const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };
    const answering = ask(LIST, { id });
    await listing.promise;
    const second = await ask(PING, { id });
    assert.equal(second.status, 400);
    const { error, id: of } = (await second.json()) as { error: { code: number }; id: number };
    assert.deepEqual([error.code, of], [-32_600, 7]);
    const other = { ...PING, id: '7' };
    assert.equal((await ask([other, other], { id })).status, 400);
    assert.equal((await ask(other, { id })).status, 200, 'a text is another id than a number');
    listed.resolve([{ name: 'First', inputSchema: { type: 'object' } }]);
    assert.match(await (await answering).text(), /"First"/);
    assert.match(await (await ask(PING, { id })).text(), /"result":\{\}/);
  });

  test('may use an id again whose request it has cancelled, or that was refused', async (t) => {
    const listing = Promise.withResolvers<void>();
    const list = (signal: AbortSignal): Promise<unknown[]> => {
      listing.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));
    };
    const { ask } = start(t, {}, { list });
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };
    assert.equal((await ask(PING, { id, accept: 'application/json' })).status, 406);
    const answering = ask({ ...PING, method: 'tools/list' }, { id });
    await listing.promise;
    await ask({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, { id });
    assert.equal(await (await answering).text(), '');
    assert.equal((await ask(PING, { id })).status, 200);
  });

  test('is told nothing of what fails inside but that it did; the operator is', async (t) => {
    const { ask, reports } = start(t, {}, { list: () => Promise.reject(new Error('the secret of the house')) });
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const text = await (await ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, { id })).text();
    assert.match(text, /-32603/);
    assert.doesNotMatch(text, /secret/);
    assert.match(String(reports[0]), /secret/);
  });
});

describe('a client that listens', () => {
  const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

  test('is told of other tools, and one that does not listen then is told later', async (t) => {
    const { ask, listen, clients } = start(t);
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    assert.equal(clients[0]?.toolsChanged(), false);
    const { response, leave } = await listen(id);
    assert.equal(clients[0].toolsChanged(), true);
    const { value } = (await response.body?.getReader().read()) ?? {};
    assert.match(new TextDecoder().decode(value), /notifications\/tools\/list_changed/);
    leave();
    await setImmediate();
    assert.equal(clients[0].toolsChanged(), false);
  });

  test('has its tools looked at when it begins to, after each request, and time and again, until it leaves', async (t) => {
    let looks = 0;
    let seen = Promise.withResolvers<void>();
    const look = (): void => {
      looks += 1;
      seen.resolve();
    };
    const { ask, listen } = start(t, { lookMs: 3_600_000 }, { look });
    const id = (await ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    await setImmediate();
    let before = looks;
    await listen(id);
    assert.equal(looks, before + 1);
    await ask(PING, { id });
    await setImmediate();
    assert.equal(looks, before + 2);

    const often = start(t, { lookMs: 1 }, { look });
    const other = (await often.ask(INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const { leave } = await often.listen(other);
    const alive = setInterval(() => {}, 1_000);
    t.after(() => clearInterval(alive));
    for (let count = 0; count < 3; count += 1) {
      seen = Promise.withResolvers();
      await seen.promise;
    }
    leave();
    await setImmediate();
    before = looks;
    await sleep(20);
    assert.equal(looks, before);
  });
});
