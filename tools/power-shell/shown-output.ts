// What a model is shown of what PowerShell printed: the head, and after a failure the tail, where the cause stands.
import { open, type FileHandle } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** Share of a failure that its head gets. */
const HEAD_SHARE = 1 / 3;

export interface ShownOutput {
  readonly text: string;
  /** True when the file holds more. */
  readonly cut: boolean;
}

/** Terminal escapes and NUL are left out, bytes that are no text become U+FFFD. No character is cut. */
export async function showOutput(path: string, { maxBytes, withTail }: { maxBytes: number; withTail: boolean }): Promise<ShownOutput> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  if (size <= maxBytes) return { text: visible(await readAt(file, 0, size)).trimEnd(), cut: false };
  if (!withTail) return { text: visible(withoutHalfEnd(await readAt(file, 0, maxBytes))), cut: true };
  const head = withoutHalfEnd(await readAt(file, 0, Math.floor(maxBytes * HEAD_SHARE)));
  const room = maxBytes - head.length;
  const tail = withoutHalfStart(await readAt(file, size - room, room));
  const gap = `[... ${size - head.length - tail.length} of ${size} bytes were left out here ...]`;
  return { text: [visible(head).replace(/\n$/, ''), gap, visible(tail).trimEnd()].join('\n'), cut: true };
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}

function withoutHalfStart(bytes: Buffer): Buffer {
  const start = bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte));
  return bytes.subarray(Math.max(0, start));
}

/** Ends where the last character begins, which may be whole or not. */
function withoutHalfEnd(bytes: Buffer): Buffer {
  let end = bytes.length - 1;
  while (end > bytes.length - 4 && isContinuation(bytes[end] ?? 0)) end -= 1;
  return bytes.subarray(0, Math.max(0, end));
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

function visible(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\0', '').replaceAll('\u001B', '');
}
