import { open } from 'node:fs/promises';

/** The longest UTF-8 character has four bytes. */
const BYTES_PER_CHAR = 4;

/** Reads the head of a command's output, never more than `maxChars` characters of it need. Bytes that are no text become U+FFFD. */
export async function readHead(path: string, maxChars: number): Promise<string> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(maxChars * BYTES_PER_CHAR);
  let length = 0;
  for (let bytesRead = -1; bytesRead !== 0 && length < buffer.length; length += bytesRead) {
    ({ bytesRead } = await file.read(buffer, length, buffer.length - length, length));
  }
  // Streaming holds back a character that the limit has cut in two.
  const cut = length === buffer.length;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer.subarray(0, length), { stream: cut });
}
