// Contents of files, each once, under the digest of its bytes. A blob is complete before it has that name.
import { createHash, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestBytes } from '../content/digest.ts';
import { readChunks } from '../content/read-bytes.ts';
import { hasCode } from '../file-failure.ts';

export interface NewBlob {
  readonly directory: string;
  /** What lies behind it is read from the start. */
  readonly source: FileHandle;
  /** Whether a content of this digest and size shall be stored: not when it is there, or there is no room. */
  readonly wanted: (hash: string, size: number) => boolean;
  readonly maxBytes: number;
}

/** @returns digest and size of the content, stored or not; `null` when it is too large */
export async function storeBlob({ directory, source, wanted, maxBytes }: NewBlob): Promise<{ hash: string; size: number } | null> {
  const temporary = join(directory, `${randomBytes(12).toString('hex')}.tmp`);
  try {
    await using handle = await open(temporary, 'wx', 0o600);
    const sha = createHash('sha256');
    let size = 0;
    for await (const chunk of readChunks(source)) {
      size += chunk.length;
      if (size > maxBytes) return null;
      sha.update(chunk);
      await handle.writeFile(chunk);
    }
    const hash = sha.digest('hex');
    if (wanted(hash, size)) {
      await handle.sync();
      await rename(temporary, join(directory, hash));
    }
    return { hash, size };
  } finally {
    await rm(temporary, { force: true });
  }
}

/** @returns `null` when it is gone, or no longer what it was */
export async function readBlob(directory: string, hash: string): Promise<Buffer | null> {
  try {
    const bytes = await readFile(join(directory, hash));
    return digestBytes(bytes) === hash ? bytes : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Removes what nobody needs, and what a crash has left half-written. */
export async function removeBlobs(directory: string, needed: { has(hash: string): boolean }): Promise<void> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  for (const name of names) if (!needed.has(name)) await rm(join(directory, name), { force: true });
}
