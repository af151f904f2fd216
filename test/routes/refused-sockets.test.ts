import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assistant, call, startServer, type TestServer } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

/** A client that opens a socket by hand, and never answers the goodbye of the other side. */
async function rudeClient(t: TestContext, server: TestServer, path: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  const handshake = [
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  socket.write([`GET ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, ...handshake, '', ''].join('\r\n'));
  assert.match(String(await once(socket, 'data')), /^HTTP\/1.1 101 /);
  socket.resume();
  return socket;
}

/** A text frame, masked with zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

describe('a client that was refused', () => {
  test('is cut off when it does not close its side, however much it goes on sending', { timeout: 20_000 }, async (t) => {
    const server = await startServer(t);
    const socket = await rudeClient(t, server, '/v1/sessions/ses_nope/stream');
    const padding = frame(JSON.stringify({ type: 'ping', more: 'x'.repeat(10_000) }));
    while (!socket.closed) {
      if (socket.writable) socket.write(padding);
      await sleep(5);
    }
    assert.equal((await server.request('GET', '/healthz')).status, 200);
  });

  test('is not heard: nothing that it sends makes a session or runs a call', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)], env: await withLimits(t, { sockets_per_key: 1 }) });
    const session = await server.session();
    const admitted = await server.socket(`/v1/sessions/${session}/stream`);
    for (const path of ['/v1/stream', `/v1/sessions/${session}/stream`]) {
      const refused = await server.socket(path);
      refused.send({ type: 'open', session: {} });
      refused.send({ type: 'message', message: assistant([call('refused', 'Work')]) });
      assert.equal((await refused.closed).code, 1013);
    }
    const { body } = await server.request('GET', '/v1/sessions');
    assert.equal(body['data'].length, 1);
    admitted.send({ type: 'message', message: assistant([call('admitted', 'Work')]) });
    await admitted.type('turn_completed');
    assert.deepEqual(trace.started, ['admitted']);
  });
});
