// Nodes that do not answer as nodes do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createForwarder } from '../../src/cluster/forward-request.ts';
import { forwardSocket } from '../../src/cluster/forward-socket.ts';
import { Whereabouts } from '../../src/cluster/whereabouts.ts';

const MIB = 1024 * 1024;
const lookMs = 60_000;
const sessionId = 'ses_1';

/** Where the session always is at that node. */
function whereaboutsOf(url: string): Whereabouts {
  return new Whereabouts({
    leases: { holder: async () => 'strange' },
    nodes: { name: 'here', announce: async () => {}, urlOf: async () => url, secret: async () => '' },
  });
}

async function listen(t: TestContext, server: ReturnType<typeof createTcpServer>): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a client gets that asks for something of the session. @returns `null` where it is to be tried again */
async function asked(t: TestContext, node: RequestListener): Promise<{ status: number; bytes: number } | null> {
  const url = await listen(t, createServer(node));
  const forwarder = createForwarder({ whereabouts: whereaboutsOf(url), lookMs, warn: () => {} });
  t.after(() => forwarder.close());
  let isServed = true;
  const serve = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const exchange = { sessionId, request, reply, takeReply: () => ({}), identityFor: async () => '', requestId: 'r' };
    isServed = await forwarder.forward({ ...exchange, signal: new AbortController().signal }, { node: 'strange', url });
    if (!isServed) reply.end();
  };
  const front = createServer((request, reply) => void serve(request, reply));
  const reply = await fetch(`${await listen(t, front)}/v1/sessions/${sessionId}`);
  const bytes = (await reply.arrayBuffer()).byteLength;
  return isServed ? { status: reply.status, bytes } : null;
}

test('a refusal is tried elsewhere', async (t) => {
  for (const [status, body] of [
    [401, '{}'],
    [503, '{"type":"/problems/session-elsewhere"}'],
  ] as const) {
    assert.equal(await asked(t, (_, reply) => reply.writeHead(status, { 'content-length': body.length }).end(body)), null);
  }
});

test('what says that it is a refusal and has no end, or is large, is passed back as it comes and not gathered', async (t) => {
  for (const status of [401, 503]) {
    for (const length of [undefined, 8 * MIB]) {
      const got = await asked(t, (_, reply) => {
        reply.writeHead(status, length === undefined ? {} : { 'content-length': length });
        reply.end(Buffer.alloc(8 * MIB, '"/problems/session-elsewhere"'));
      });
      assert.deepEqual(got, { status, bytes: 8 * MIB });
    }
  }
});

test('a node that takes a socket and never answers is given up, while the session is still said to be there', async (t) => {
  const url = await listen(t, createTcpServer());
  const client = {
    sessionId,
    url: `/v1/sessions/${sessionId}/stream`,
    frames: (async function* () {})(),
    send: async () => true,
    close: () => assert.fail('it can be tried again'),
    identityFor: async () => '',
    requestId: 'r',
  };
  assert.equal(await forwardSocket(client, { node: 'strange', url }, { whereabouts: whereaboutsOf(url), lookMs }), false);
});
