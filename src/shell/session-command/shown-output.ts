// What a model is shown of a command's output. It lies in a file of up to many megabytes, of which only the ends are
// read: the head, and after a failure the tail, where the cause stands.
import { open } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { incompleteTail, orphanedHead, readAt } from '../../contract/index.ts';

/** The longest UTF-8 character has four bytes. */
const BYTES_PER_CHAR = 4;
/** Share of a failure that its head gets. */
const HEAD_SHARE = 1 / 3;

export interface ShownOutput {
  readonly text: string;
  /** True when the file holds more. */
  readonly cut: boolean;
}

export interface OutputBounds {
  /** Bytes in the file. */
  readonly bytes: number;
  /** Characters shown at most, apart from the line that stands for the middle. */
  readonly maxChars: number;
  /** Whether the end is shown as well when not all of it is. */
  readonly withTail: boolean;
}

/** Terminal escapes and NUL are left out, bytes that are no text become U+FFFD. */
export async function showOutput(path: string, { bytes, maxChars, withTail }: OutputBounds): Promise<ShownOutput> {
  if (bytes === 0) return { text: '', cut: false };
  await using file = await open(path, 'r');
  const beginning = await readAt(file, 0, Math.min(bytes, (maxChars + 1) * BYTES_PER_CHAR));
  const head = headWithin(beginning, maxChars, beginning.length === bytes);
  if (head.bytes === bytes) return { text: head.text.replace(/\n+$/, ''), cut: false };
  if (!withTail) return { text: head.text, cut: true };
  const start = headWithin(beginning, Math.floor(maxChars * HEAD_SHARE), false);
  const tailChars = maxChars - start.text.length;
  const room = Math.min(bytes - start.bytes, tailChars * BYTES_PER_CHAR);
  const end = tailWithin(await readAt(file, bytes - room, room), tailChars);
  const gap = `[... ${bytes - start.bytes - end.bytes} of ${bytes} bytes were left out here ...]`;
  return { text: [start.text.replace(/\n$/, ''), gap, end.text.replace(/\n+$/, '')].join('\n'), cut: true };
}

interface Part {
  readonly text: string;
  /** How many bytes of the output that is. */
  readonly bytes: number;
}

/** The longest beginning that shows at most `maxChars` characters. @param whole false when more bytes follow */
function headWithin(bytes: Buffer, maxChars: number, whole: boolean): Part {
  let end = whole ? bytes.length : bytes.length - incompleteTail(bytes);
  for (;;) {
    const text = shown(bytes.subarray(0, end));
    if (text.length <= maxChars) return { text, bytes: end };
    end -= text.length - maxChars;
    end -= incompleteTail(bytes.subarray(0, end));
  }
}

/** The longest end that shows at most `maxChars` characters. */
function tailWithin(bytes: Buffer, maxChars: number): Part {
  let start = orphanedHead(bytes);
  for (;;) {
    const text = shown(bytes.subarray(start));
    if (text.length <= maxChars) return { text, bytes: bytes.length - start };
    start += text.length - maxChars;
    start += orphanedHead(bytes.subarray(start));
  }
}

function shown(bytes: Buffer): string {
  return visible(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}

/** Without terminal escapes and NUL. */
export function visible(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\0', '').replaceAll('\u001B', '');
}
