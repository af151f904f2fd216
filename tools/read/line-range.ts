// A range of the lines of a file, from its text in memory or from a stream of its bytes. Of a stream, only the lines asked
// for are decoded, and of each only its beginning is kept: neither a huge file nor a huge line fills the memory.
import type { TextEncoding } from '../../src/workspace/content/text-encoding.ts';
import type { LineFitter } from './line-fitter.ts';
import { fitLines } from './line-fitter.ts';
import { LINE_CHARS } from './limits.ts';

/** Bytes kept of a line: no encoding takes more for its visible part. */
const HELD_BYTES = 4 * LINE_CHARS + 8;

export interface Wanted {
  readonly encoding: TextEncoding;
  readonly lineEnd: '\n' | '\r';
  /** Counts from 1. */
  readonly offset: number;
  readonly limit: number;
}

export interface LineRange {
  /** Decoded, without their ends, cut where too long. */
  readonly lines: readonly string[];
  /** Lines of the whole file; `null` when its end was not reached. */
  readonly total: number | null;
  /** True when a line was cut. */
  readonly cut: boolean;
}

/** The range out of a whole file's bytes, without its byte order mark. */
export function linesOfBytes(bytes: Buffer, { encoding, lineEnd, offset, limit }: Wanted): LineRange {
  const text = encoding.decode(bytes);
  const fitter = fitLines(limit);
  let total = 0;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf(lineEnd, start);
    const end = found === -1 ? text.length : found;
    total += 1;
    if (total >= offset && !fitter.full()) fitter.push(withoutReturn(text.slice(start, end)));
    start = end + 1;
  }
  return { lines: fitter.lines, total, cut: fitter.cut() };
}

/** The range out of chunks that each hold a whole number of units; stops reading when there is nothing left to collect. */
export async function linesOfChunks(chunks: AsyncIterable<Buffer>, wanted: Wanted): Promise<LineRange> {
  const fitter = fitLines(wanted.limit);
  const scanner = scanLines(wanted, fitter);
  for await (const chunk of chunks) {
    scanner.add(chunk);
    if (fitter.full()) return { lines: fitter.lines, total: null, cut: fitter.cut() };
  }
  const total = scanner.end();
  return { lines: fitter.lines, total, cut: fitter.cut() };
}

function scanLines({ encoding, lineEnd, offset }: Wanted, fitter: LineFitter) {
  const end = encoding.fromUnits(lineEnd);
  let number = 1;
  let begun = false;
  let held: Buffer[] = [];
  let heldBytes = 0;

  const hold = (piece: Buffer): void => {
    begun ||= piece.length > 0;
    if (number < offset || fitter.full()) return;
    if (heldBytes < HELD_BYTES) held.push(piece.subarray(0, HELD_BYTES - heldBytes));
    heldBytes += piece.length;
  };
  const close = (): void => {
    if (number >= offset && !fitter.full()) fitter.push(withoutReturn(encoding.decode(Buffer.concat(held))));
    held = [];
    heldBytes = 0;
    begun = false;
    number += 1;
  };

  return {
    add(chunk: Buffer): void {
      let start = 0;
      for (let at = nextEnd(chunk, end, 0); at !== -1 && !fitter.full(); at = nextEnd(chunk, end, start)) {
        hold(chunk.subarray(start, at));
        close();
        start = at + end.length;
      }
      hold(chunk.subarray(start));
    },
    /** Ends the last line, which may lack its end, and gives the number of lines. */
    end(): number {
      if (begun) close();
      return number - 1;
    },
  };
}

/** Where the next line end begins; only at a whole unit of the encoding. */
function nextEnd(chunk: Buffer, end: Buffer, from: number): number {
  let at = chunk.indexOf(end, from);
  while (at !== -1 && at % end.length !== 0) at = chunk.indexOf(end, at + 1);
  return at;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
