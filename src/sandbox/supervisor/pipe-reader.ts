// Reads a pipe chunk by chunk into a sink that may be slow; the pipe itself holds the writer back meanwhile.
import { closeSync, readSync } from 'node:fs';
import { Socket } from 'node:net';

const CHUNK_BYTES = 65_536;
/** As large as an unprivileged process can make a pipe: more than this was not in it when draining began. */
const MAX_PIPE_BYTES = 1_048_576;
/** Milliseconds before a pipe is watched: what is written by then lies in it, and most commands have ended by then. */
const UNWATCHED_MS = 5;

export interface PipeReader {
  /** Settles when every writer has closed the pipe, or when it was drained. */
  readonly ended: Promise<void>;
  /** Hands what is in the pipe right now to the sink, then closes the read end, whoever may still hold the other one. */
  drain(): Promise<void>;
}

/** Buffers of pipes that are closed: so much memory for each command would have the heap swept again and again. */
const spare: Buffer[] = [];
const MOST_SPARE = 16;

/** Takes over `readEnd`. @param sink must not throw; its chunk is valid until its promise settles */
export function readPipe(readEnd: number, sink: (chunk: Buffer) => Promise<void>): PipeReader {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let taking: Promise<void> = Promise.resolve();
  let draining = false;
  let socket: Socket | undefined;
  let buffer: Buffer | undefined;
  const timer = setTimeout(watch, UNWATCHED_MS);

  function watch(): void {
    const into = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const watched = new Socket({
      fd: readEnd,
      readable: true,
      writable: false,
      onread: {
        buffer: into,
        callback: (bytes) => {
          taking = take(watched, into.subarray(0, bytes));
          return false;
        },
      },
    });
    watched.once('close', () => end());
    watched.on('error', () => end());
    socket = watched;
    buffer = into;
  }

  async function take(from: Socket, chunk: Buffer): Promise<void> {
    await sink(chunk);
    if (!draining) from.resume();
  }

  async function drain(): Promise<void> {
    draining = true;
    clearTimeout(timer);
    for (let last; last !== taking; await last) last = taking;
    const rest = socket?.destroyed === true ? Buffer.alloc(0) : closed();
    if (buffer !== undefined && spare.length < MOST_SPARE) spare.push(buffer);
    end();
    if (rest.length > 0) await sink(rest);
  }

  /** Nothing may wait meanwhile, or the socket could read beside us and mix up the order. @returns what was left in the pipe */
  function closed(): Buffer {
    const rest = readAvailable(readEnd, MAX_PIPE_BYTES);
    if (socket === undefined) closeSync(readEnd);
    else socket.destroy();
    return rest;
  }

  return { ended, drain };
}

/** What was read last: it is copied before anything else is read. */
const scratch = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** What a non-blocking descriptor holds right now, at most `limit` bytes. */
export function readAvailable(descriptor: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let left = limit; left > 0;) {
    const bytes = readNow(descriptor, Math.min(left, CHUNK_BYTES));
    if (bytes === 0) break;
    chunks.push(Buffer.from(scratch.subarray(0, bytes)));
    left -= bytes;
  }
  return Buffer.concat(chunks);
}

function readNow(descriptor: number, most: number): number {
  try {
    return readSync(descriptor, scratch, 0, most, null);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
    throw error;
  }
}
