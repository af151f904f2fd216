// Node ends a request that takes too long as a whole, and does so by itself: here with times that a test can wait for.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { transfers } from '../../src/plugins/limits/transfers.ts';

/** Milliseconds that a request may take as a whole: long enough that a busy machine has read by then what was sent at once. */
const REQUEST_MS = 1_000;

async function startApp(t: TestContext, stallMs: number): Promise<number> {
  const app = fastify({ requestTimeout: REQUEST_MS, http: { headersTimeout: REQUEST_MS, connectionsCheckingInterval: 50 } });
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

interface Dripping {
  /** The length of the body. */
  readonly bytes: number;
  readonly everyMs: number;
  /** Bytes that are sent; all when absent. Who writes when it was refused may lose the answer. */
  readonly sent?: number;
}

/** Sends a byte now and then. @returns the whole reply */
async function drip(port: number, path: string, { bytes, everyMs, sent = bytes }: Dripping): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const reply = text(socket).catch(() => '');
  socket.on('error', () => {
    // The reply tells.
  });
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
  for (let n = 0; n < sent && socket.writable; n += 1) {
    await sleep(everyMs);
    socket.write('x');
  }
  return reply;
}

test('an upload may take as long as it moves, where other requests are ended', async (t) => {
  const port = await startApp(t, 10_000);
  const body = { bytes: 40, everyMs: REQUEST_MS / 20 };
  const [transfer, plain] = await Promise.all([drip(port, '/transfer', body), drip(port, '/plain', { ...body, sent: 1 })]);
  assert.match(transfer, /^HTTP\/1\.1 200 [^]*\{"body":40\}/);
  assert.match(plain, /^HTTP\/1\.1 408 /);
});

test('an upload in which nothing moves is cut off', async (t) => {
  const port = await startApp(t, 100);
  assert.equal(await drip(port, '/transfer', { bytes: 2, everyMs: REQUEST_MS / 2 }), '');
});
