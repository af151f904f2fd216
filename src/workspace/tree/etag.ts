// By what a client knows a file again. Small files by their content. Reading a large one whenever somebody asks would
// take longer than sending it, so it is known by what the system changes with every write: identity, size, and both
// times in nanoseconds. Two writes of the same size within one tick of the system's clock, to the same file in place, are
// all that this cannot tell apart; what comes over this service never writes in place.
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { digestBytes } from '../content/digest.ts';
import { readBytes } from '../content/read-bytes.ts';

/** Files of up to this many bytes are known by their content. */
export const CONTENT_BYTES = 1024 * 1024;

/** @returns the validator in its quotes, as it travels */
export async function etagOf({ handle, stats }: { handle: FileHandle; stats: Stats }): Promise<string> {
  if (stats.size <= CONTENT_BYTES) return contentEtag(await readBytes({ path: '', handle, stats }, CONTENT_BYTES));
  const { ino, size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  return `"${[ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-')}"`;
}

function contentEtag(bytes: Uint8Array): string {
  return `"${digestBytes(bytes)}"`;
}
