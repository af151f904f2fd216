// The measuring side against real servers in this process.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';
import { openBareSocket } from '../../bench/client.ts';
import { openPostLoad } from '../../bench/post-load.ts';
import { closedLoop, openLoop } from '../../bench/socket-load.ts';

/** Sockets of a server that does this with each frame. */
async function socketsOf(t: TestContext, count: number, answer: (socket: WebSocket) => void): Promise<WebSocket[]> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => socket.on('message', () => answer(socket)));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = await Promise.all(Array.from({ length: count }, () => openBareSocket(`ws://127.0.0.1:${port}`)));
  t.after(() => {
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  return sockets;
}

async function addressOf(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function block(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

describe('calls one after another on many sockets', () => {
  test('are all made, and none before the one before it is answered', async (t) => {
    let frames = 0;
    const waiting = new Map<WebSocket, number>();
    let most = 0;
    const sockets = await socketsOf(t, 3, (socket) => {
      frames += 1;
      waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
      most = Math.max(most, ...waiting.values());
      setImmediate(() => {
        waiting.set(socket, 0);
        socket.send('{"type":"other"}');
        socket.send('{"type":"answer"}');
      });
    });
    const { perSecond, p99Us } = await closedLoop({ sockets, frame: () => '{}', answerHead: '{"type":"answer"' }, 5);
    assert.deepEqual({ frames, most }, { frames: 15, most: 1 });
    assert.ok(perSecond > 0 && p99Us > 0);
  });

  test('fail when a socket is closed, and when the server tells of an error', async (t) => {
    const load = { frame: () => '{}', answerHead: '{"type":"answer"' };
    const closing = await socketsOf(t, 1, (socket) => socket.close(1013));
    await assert.rejects(closedLoop({ ...load, sockets: closing }, 1), /closed with code 1013/);
    const refusing = await socketsOf(t, 1, (socket) => socket.send('{"type":"error","problem":{}}'));
    await assert.rejects(closedLoop({ ...load, sockets: refusing }, 1), /refused a frame/);
  });
});

describe('calls at a fixed rate', () => {
  test('wait from the moment when they were due, also where a stall kept them from being sent', async (t) => {
    const stallMs = 300;
    let frames = 0;
    const sockets = await socketsOf(t, 2, (socket) => {
      frames += 1;
      if (frames === 1) block(stallMs);
      socket.send('{"type":"answer"}');
    });
    const load = { sockets, frame: () => '{}', answerHead: '{' };
    const p99Us = await openLoop(load, { perSecond: 1_000, seconds: 0.2 });
    assert.equal(frames, 200);
    // All but the first few are due while nothing can be sent: counted from when they were sent, hardly any would have waited.
    assert.ok(p99Us > (stallMs - 200) * 1_000, `${p99Us} µs`);
  });
});

describe('POSTs over many connections', () => {
  test('are all sent, each connection keeping its path and its place', async (t) => {
    const seen: { url: string | undefined; port: number | undefined; body: string }[] = [];
    const address = await addressOf(t, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push({ url: request.url, port: request.socket.remotePort, body });
        // In two pieces, so that an answer is put together.
        response.writeHead(200, { 'content-length': 6 });
        response.write('abc');
        setImmediate(() => response.end('def'));
      });
    });
    const load = await openPostLoad(address, { paths: ['/one', '/two'], body: () => '"grün"' });
    t.after(() => load.close());
    assert.ok((await load.run(6)) > 0);
    assert.equal(seen.length, 6);
    assert.deepEqual(
      [...new Set(seen.map(({ url }) => String(url)))].toSorted((a, b) => a.localeCompare(b)),
      ['/one', '/two'],
    );
    assert.equal(new Set(seen.map(({ url, port }) => `${url} ${port}`)).size, 2);
    assert.ok(seen.every(({ body }) => body === '"grün"'));
  });

  test('fail on any answer but 200', async (t) => {
    const address = await addressOf(t, (_request, response) => {
      response.statusCode = 429;
      response.end('too many');
    });
    const load = await openPostLoad(address, { paths: ['/one'], body: () => '{}' });
    t.after(() => load.close());
    await assert.rejects(load.run(1), /429/);
  });
});
