// Node ends a request that takes too long as a whole, and does so by itself: here with times that a test can wait for.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { transfers } from '../../src/plugins/transfers.ts';

async function startApp(t: TestContext, stallMs: number): Promise<number> {
  const app = fastify({ requestTimeout: 150, http: { headersTimeout: 100, connectionsCheckingInterval: 50 } });
  await app.register(transfers, { stallMs });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: unknown, payload: AsyncIterable<Buffer>) => {
    let bytes = 0;
    for await (const chunk of payload) bytes += chunk.length;
    return bytes;
  });
  app.put('/transfer', { config: { transfer: 'file' } }, async ({ body }) => ({ body }));
  app.put('/plain', async ({ body }) => ({ body }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const address = app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

/** Sends a byte now and then. @returns the whole reply */
async function drip(port: number, path: string, { bytes, everyMs }: { bytes: number; everyMs: number }): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const reply = text(socket).catch(() => '');
  socket.on('error', () => {});
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
  for (let n = 0; n < bytes && socket.writable; n += 1) {
    await sleep(everyMs);
    socket.write('x');
  }
  return reply;
}

test('an upload may take as long as it moves, where other requests are ended', async (t) => {
  const port = await startApp(t, 10_000);
  const [transfer, plain] = await Promise.all(['/transfer', '/plain'].map((path) => drip(port, path, { bytes: 20, everyMs: 40 })));
  assert.match(transfer ?? '', /^HTTP\/1\.1 200 [^]*\{"body":20\}/);
  assert.match(plain ?? '', /^HTTP\/1\.1 408 /);
});

test('an upload in which nothing moves is cut off', async (t) => {
  const port = await startApp(t, 100);
  assert.equal(await drip(port, '/transfer', { bytes: 2, everyMs: 1_000 }), '');
});
