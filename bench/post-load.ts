// POSTs over many connections that stay open, written and read by hand: a client with all the comforts is slower than the
// servers that it is to measure, and would make them look alike.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface PostLoad {
  /** Sends so many requests in all, each connection its next one when it is answered. @returns answers a second */
  run(requests: number): Promise<number>;
  close(): void;
}

/** @param paths one for each connection @throws Error for an answer that is not 200, or has no length */
export async function openPostLoad(address: string, { paths, body }: { paths: readonly string[]; body: () => string }): Promise<PostLoad> {
  const [host = '', port = ''] = address.split(':');
  const connections = await Promise.all(
    paths.map(async (path) => {
      const socket = connect(Number(port), host).setNoDelay();
      await once(socket, 'connect');
      return { socket, path };
    }),
  );
  const requestTo = (path: string): string => {
    const text = body();
    const length = Buffer.byteLength(text);
    return `POST ${path} HTTP/1.1\r\nhost: ${address}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
  };
  return {
    async run(requests) {
      const each = Math.ceil(requests / connections.length);
      const startMs = performance.now();
      await Promise.all(connections.map(({ socket, path }) => exchange(socket, { count: each, request: () => requestTo(path) })));
      return (each * connections.length * 1000) / (performance.now() - startMs);
    },
    close() {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

function exchange(socket: Socket, { count, request }: { count: number; request: () => string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let answered = 0;
  let received: Buffer = Buffer.alloc(0);
  const end = (error?: Error): void => {
    socket.off('data', take);
    socket.off('close', closed);
    if (error === undefined) resolve();
    else reject(error);
  };
  const take = (chunk: Buffer): void => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    try {
      const size = sizeOfAnswer(received);
      if (size === null || received.length < size) return;
      received = received.subarray(size);
      answered += 1;
      if (answered === count) end();
      else socket.write(request());
    } catch (error) {
      end(error as Error);
    }
  };
  const closed = (): void => end(new Error('A connection was closed before its request was answered.'));
  socket.on('data', take);
  socket.once('close', closed);
  socket.write(request());
  return promise;
}

/** Bytes of the answer that begins here; `null` until its head is complete. */
function sizeOfAnswer(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`A POST was answered with: ${bytes.toString('utf8', 0, 1_000)}`);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`An answer has no length: ${head}`);
  return headEnd + 4 + Number(length);
}
