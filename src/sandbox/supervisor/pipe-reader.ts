// Reads a pipe chunk by chunk into a sink that may be slow; the pipe itself holds the writer back meanwhile.
import { readSync } from 'node:fs';
import { Socket } from 'node:net';

const CHUNK_BYTES = 65_536;
/** As large as an unprivileged process can make a pipe: more than this was not in it when draining began. */
const MAX_PIPE_BYTES = 1_048_576;

export interface PipeReader {
  /** Settles when every writer has closed the pipe, or when it was drained. */
  readonly ended: Promise<void>;
  /** Hands what is in the pipe right now to the sink, then closes the read end, whoever may still hold the other one. */
  drain(): Promise<void>;
}

/** Takes over `readEnd`. @param sink must not throw; its chunk is valid until its promise settles */
export function readPipe(readEnd: number, sink: (chunk: Buffer) => Promise<void>): PipeReader {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let taking: Promise<void> = Promise.resolve();
  let draining = false;

  async function take(bytes: number): Promise<void> {
    await sink(buffer.subarray(0, bytes));
    if (!draining) socket.resume();
  }

  const socket = new Socket({
    fd: readEnd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (bytes) => {
        taking = take(bytes);
        return false;
      },
    },
  });
  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.on('error', () => resolve());
  });

  async function drain(): Promise<void> {
    draining = true;
    for (let last; last !== taking; await last) last = taking;
    if (socket.destroyed) return;
    // From here to `destroy` nothing may wait, or the socket could read beside us and mix up the order.
    const rest = readAvailable(readEnd, MAX_PIPE_BYTES);
    socket.destroy();
    if (rest.length > 0) await sink(rest);
  }

  return { ended, drain };
}

/** What a non-blocking descriptor holds right now, at most `limit` bytes. */
export function readAvailable(descriptor: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let left = limit; left > 0;) {
    const chunk = Buffer.allocUnsafe(Math.min(left, CHUNK_BYTES));
    const bytes = readNow(descriptor, chunk);
    if (bytes === 0) break;
    chunks.push(chunk.subarray(0, bytes));
    left -= bytes;
  }
  return Buffer.concat(chunks);
}

function readNow(descriptor: number, into: Buffer): number {
  try {
    return readSync(descriptor, into);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
