// Output of calls and tasks as plain text: all of it so far, or the part that a `Range` asks for, also while it grows.
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { Problem } from '../src/contract/index.ts';
import { parseByteRange } from './byte-range.ts';

export interface OutputSource {
  readonly size: number;
  /** Both ends count. */
  readonly part: (start: number, end: number) => NodeJS.ReadableStream | Buffer;
}

export interface RangeRequest {
  /** The `Range` header. */
  readonly header: string | undefined;
  /** Where a reply begins that no range was asked for. Default: 0. */
  readonly from?: number;
}

/** What lies in a file; `null` where there is none: commands may have put a link or a pipe in its place. */
export async function outputInFile(path: string): Promise<OutputSource | null> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isFile() !== true ? null : { size: stats.size, part: (start, end) => createReadStream(path, { start, end }) };
}

export function outputInMemory(text: string): OutputSource {
  const bytes = Buffer.from(text);
  return { size: bytes.length, part: (start, end) => bytes.subarray(start, end + 1) };
}

/** @throws Problem `range-not-satisfiable` for a range that begins behind the end */
export function sendOutput(reply: FastifyReply, { size, part }: OutputSource, { header, from = 0 }: RangeRequest): FastifyReply {
  void reply.type('text/plain; charset=utf-8').header('accept-ranges', 'bytes').header('x-content-type-options', 'nosniff');
  const range = parseByteRange(header, size);
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${size}`);
    throw new Problem('range-not-satisfiable', `The output has ${size} bytes so far.`);
  }
  const { start, end } = range ?? { start: Math.min(from, size), end: size - 1 };
  void reply.header('content-length', end - start + 1);
  if (range !== null) void reply.status(206).header('content-range', `bytes ${start}-${end}/${size}`);
  return reply.send(end < start ? '' : part(start, end));
}
