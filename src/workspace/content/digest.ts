// The digest by which a file is known again.
import { createHash, hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { readChunks } from './read-bytes.ts';

/** Files beyond this many bytes are known by inode, size and times instead of their content: reading them all would take seconds. */
export const HASHED_BYTES = 64 * 1024 * 1024;

/** Digest of a whole file's bytes, at most {@link HASHED_BYTES} of them. */
export function digestBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Digest of the file behind a handle: that of {@link digestBytes}, or of its identity when it is too large. */
export async function digestFile(handle: FileHandle): Promise<string> {
  const stats = await handle.stat({ bigint: true });
  if (stats.size > HASHED_BYTES) return `stat-${stats.ino}-${stats.size}-${stats.mtimeNs}-${stats.ctimeNs}`;
  const sha = createHash('sha256');
  for await (const chunk of readChunks(handle)) sha.update(chunk);
  return sha.digest('hex');
}
