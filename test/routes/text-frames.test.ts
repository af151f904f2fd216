import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { textFrames } from '../../routes/text-frames.ts';

/** What a client of a library reads of bytes that are written to its connection. */
async function readBy(t: TestContext, texts: readonly string[]): Promise<string[]> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on('connection', (_socket, request) => request.socket.write(textFrames(texts)));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const client = new WebSocket(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  t.after(() => {
    client.terminate();
    sockets.close();
    http.close();
  });
  const read: string[] = [];
  for await (const [data, isBinary] of messagesOf(client)) {
    assert.equal(isBinary, false);
    read.push(String(data));
    if (read.length === texts.length) break;
  }
  return read;
}

function messagesOf(client: WebSocket): AsyncIterable<[Buffer, boolean]> {
  const queue: [Buffer, boolean][] = [];
  let wake = (): void => {};
  client.on('message', (data: Buffer, isBinary) => {
    queue.push([data, isBinary]);
    wake();
  });
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (queue.length > 0) yield queue.shift() as [Buffer, boolean];
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

describe('texts that are written together', () => {
  test('are read one by one and whole, whatever their size', async (t) => {
    const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 1_000_000].map((size) => 'x'.repeat(size));
    assert.deepEqual(
      (await readBy(t, texts)).map(({ length }) => length),
      texts.map(({ length }) => length),
    );
  });

  test('are counted in bytes, and keep every character', async (t) => {
    const texts = ['ä'.repeat(63), '€'.repeat(42), '😀'.repeat(16_384), '{"type":"pong"}'];
    assert.deepEqual(await readBy(t, texts), texts);
  });

  test('are valid where half of a character is in them', async (t) => {
    assert.deepEqual(await readBy(t, ['a\uD800b', 'after']), ['a\uFFFDb', 'after']);
  });
});
