// Parts of what has bytes, as `Range` asks for them (RFC 9110, 14).
import type { FastifyReply } from 'fastify';
import { Problem } from '../src/contract/index.ts';

/** Both ends count, as in the header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface RangeRequest {
  /** The `Range` header. */
  readonly header: string | undefined;
  /** Where a reply begins that no range was asked for. Default: 0. */
  readonly from?: number;
}

/**
 * Tells of the part of so many bytes that is asked for, in status and headers.
 * @returns the part, empty where `end` is before `start`
 * @throws Problem `range-not-satisfiable` for a range that begins behind the end
 */
export function beginPart(reply: FastifyReply, size: number, { header, from = 0 }: RangeRequest): ByteRange {
  const range = parseByteRange(header, size);
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${size}`);
    throw new Problem('range-not-satisfiable', `There are ${size} bytes.`);
  }
  const part = range ?? { start: Math.min(from, size), end: size - 1 };
  void reply.header('content-length', part.end - part.start + 1);
  if (range !== null) void reply.status(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  return part;
}

/**
 * Reads a `Range` header of one range against a size in bytes.
 * @returns `null` when there is none that must be honoured: absent, malformed, or of several parts
 */
function parseByteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return end < start ? null : { start, end };
}
