// Reading through an open handle by position, so that several readers of one handle do not move each other.
import type { FileHandle } from 'node:fs/promises';
import type { ConfinedFile } from '../../contract/index.ts';

/** Bytes of one chunk; even, so that a UTF-16 unit is never cut in two. */
const CHUNK_BYTES = 256 * 1024;

/** The first bytes of a file, at most `limit` of them. */
export async function readBytes(file: ConfinedFile, limit: number): Promise<Buffer> {
  return fill(file.handle, Buffer.allocUnsafe(Math.min(file.stats.size, limit)), 0);
}

/** A file's bytes from `from` on, in full chunks but for the last. Each chunk is a buffer of its own. */
export async function* readChunks(handle: FileHandle, from = 0): AsyncGenerator<Buffer, void, void> {
  for (let position = from; ;) {
    const chunk = await fill(handle, Buffer.allocUnsafe(CHUNK_BYTES), position);
    if (chunk.length > 0) yield chunk;
    if (chunk.length < CHUNK_BYTES) return;
    position += chunk.length;
  }
}

async function fill(handle: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
