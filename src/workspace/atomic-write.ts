// Replacing a file in one step: a temporary file in the same open directory, a last look at what is there, then rename
// (or link, which refuses an existing name). A reader sees the old file or the new one, never a part.
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, open, rename, unlink } from 'node:fs/promises';
import { FileError } from '../contract/index.ts';
import type { ConfinedEntry, OpenFile } from './confine.ts';
import { openRegular } from './confine.ts';
import { entryPath } from './confined-directory.ts';
import { digestBytes, digestFile, HASHED_BYTES } from './content/digest.ts';
import { hasCode } from './file-failure.ts';
import { OPEN_NEW, temporaryName } from './temporary-name.ts';

/** Permission bits that survive; as with any write, set-user-id and set-group-id do not. */
export const MODE_BITS = 0o1777;

export interface AtomicWrite {
  readonly bytes: Buffer;
  /** Digest the present file must have; `null` when there must be none. */
  readonly expectedHash: string | null;
  /** Permission bits; by default those of the present file, or what the umask leaves of 0o666. */
  readonly mode?: number;
  /** The path that errors speak of. */
  readonly shown: string;
}

export interface Written {
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
}

/**
 * Puts `bytes` in the place of a file. Callers hold the file's lock, so that no other session comes in between.
 * @throws FileError `changed`, `exists`, `not_a_file`; the file is then as it was and nothing is left beside it.
 */
export async function atomicWrite(entry: ConfinedEntry, request: AtomicWrite): Promise<Written> {
  const { bytes, expectedHash, shown } = request;
  const target = entryPath(entry.directory, entry.name);
  const temporary = entryPath(entry.directory, temporaryName());
  const mode = request.mode ?? (expectedHash === null ? undefined : await presentMode(entry, shown));
  // Where the mode is not left to the umask, nobody else may look into the content before the mode is set.
  const handle = await open(temporary, OPEN_NEW, mode === undefined ? 0o666 : 0o600);
  let renamed = false;
  try {
    const { mtimeMs, size } = await fill(handle, bytes, mode);
    if (expectedHash === null) {
      await create(temporary, target, shown);
    } else {
      await assertUnchanged(entry, expectedHash, shown);
      await rename(temporary, target);
      renamed = true;
    }
    return { hash: bytes.length > HASHED_BYTES ? await presentHash(entry, shown) : digestBytes(bytes), mtimeMs, size };
  } finally {
    // When even the removal fails, the directory is gone or closed to us; the first error says more.
    if (!renamed) await unlink(temporary).catch(() => undefined);
  }
}

/**
 * Writes, syncs and closes. After a power failure the name must not lead to an empty file, and on a network file system a
 * full disk may only show at the close: both must come before the rename.
 */
async function fill(handle: FileHandle, bytes: Buffer, mode: number | undefined): Promise<Stats> {
  try {
    await handle.writeFile(bytes);
    if (mode !== undefined) await handle.chmod(mode & MODE_BITS);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

async function create(temporary: string, target: string, shown: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new FileError('exists', `${shown} already exists. Read it before you write it.`);
  }
}

async function assertUnchanged(entry: ConfinedEntry, expectedHash: string, shown: string): Promise<void> {
  if ((await presentHash(entry, shown)) === expectedHash) return;
  throw new FileError('changed', `${shown} has changed since it was read. Nothing was written: read it again.`);
}

async function presentHash(entry: ConfinedEntry, shown: string): Promise<string> {
  await using present = await openPresent(entry, shown);
  return await digestFile(present.handle);
}

async function presentMode(entry: ConfinedEntry, shown: string): Promise<number> {
  await using present = await openPresent(entry, shown);
  return present.stats.mode;
}

async function openPresent(entry: ConfinedEntry, shown: string): Promise<OpenFile> {
  const present = await openRegular(entry, shown);
  if (present) return present;
  throw new FileError('changed', `${shown} was removed since it was read. Nothing was written.`);
}
