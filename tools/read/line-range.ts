// Collects a range of lines from chunks of bytes. Only the lines asked for are decoded, and of each only its beginning is
// kept, so that neither a huge file nor a huge line fills the memory.
import type { TextEncoding } from '../../src/workspace/content/text-encoding.ts';
import { LINE_CHARS, RESULT_CHARS } from './limits.ts';
import { cutText } from './shown.ts';

/** Bytes kept of a line: no encoding takes more for its visible part. */
const HELD_BYTES = 4 * LINE_CHARS + 8;
const CUT = `… [line cut after ${LINE_CHARS.toLocaleString('en-US')} characters]`;

export interface Wanted {
  readonly encoding: TextEncoding;
  /** Bytes that end a line. */
  readonly lineEnd: Buffer;
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

export interface LineCollector {
  /** Takes the next bytes, a whole number of characters' units; true once there is nothing left to collect. */
  add(chunk: Buffer): boolean;
  /** @param reached whether the last chunk was the file's last */
  end(reached: boolean): LineRange;
}

export function collectLines({ encoding, lineEnd, offset, limit }: Wanted): LineCollector {
  const lines: string[] = [];
  let current = 1;
  let begun = false;
  let cut = false;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let chars = 0;
  let full = false;
  const finished = (): boolean => full || lines.length >= limit;

  const hold = (piece: Buffer): void => {
    begun ||= piece.length > 0;
    if (current < offset || finished()) return;
    if (heldBytes < HELD_BYTES) held.push(piece.subarray(0, HELD_BYTES - heldBytes));
    heldBytes += piece.length;
  };
  const close = (): void => {
    if (current >= offset && !finished()) {
      const [first] = held;
      const whole = decodeLine(encoding, held.length === 1 && first ? first : Buffer.concat(held));
      const line = whole.length > LINE_CHARS ? cutText(whole, LINE_CHARS) + CUT : whole;
      chars += line.length + 8;
      full = chars > RESULT_CHARS && lines.length > 0;
      if (!full) {
        lines.push(line);
        cut ||= line !== whole;
      }
    }
    held = [];
    heldBytes = 0;
    begun = false;
    current += 1;
  };

  return {
    add(chunk) {
      let start = 0;
      for (let end = nextEnd(chunk, lineEnd, 0); end !== -1; end = nextEnd(chunk, lineEnd, start)) {
        hold(chunk.subarray(start, end));
        close();
        start = end + lineEnd.length;
      }
      hold(chunk.subarray(start));
      return finished();
    },
    end(reached) {
      if (begun) close();
      return { lines, total: reached ? current - 1 : null, cut };
    },
  };
}

/** Where the next line end begins; only at a whole unit of the encoding. */
function nextEnd(chunk: Buffer, lineEnd: Buffer, from: number): number {
  let at = chunk.indexOf(lineEnd, from);
  while (at !== -1 && at % lineEnd.length !== 0) at = chunk.indexOf(lineEnd, at + 1);
  return at;
}

function decodeLine(encoding: TextEncoding, bytes: Buffer): string {
  const text = encoding.decode(bytes);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
