// Output of calls and tasks as plain text: all of it so far, or the part that a `Range` asks for, also while it grows.
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { beginPart, type RangeRequest } from './byte-range.ts';

export interface OutputSource {
  readonly size: number;
  /** Both ends count. */
  readonly part: (start: number, end: number) => NodeJS.ReadableStream | Buffer;
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
export function sendOutput(reply: FastifyReply, { size, part }: OutputSource, asked: RangeRequest): FastifyReply {
  void reply.type('text/plain; charset=utf-8').header('accept-ranges', 'bytes').header('x-content-type-options', 'nosniff');
  const { start, end } = beginPart(reply, size, asked);
  return reply.send(end < start ? '' : part(start, end));
}
