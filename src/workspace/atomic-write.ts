// Replacing a file in one step: a temporary file in the same open directory, a last look at what is there, then rename
// (or link, which refuses an existing name). A reader sees the old file or the new one, never a part.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { link, open, rename, unlink } from 'node:fs/promises';
import { FileError } from '../contract/index.ts';
import type { ConfinedEntry } from './confine.ts';
import { openRegular } from './confine.ts';
import { entryPath } from './confined-directory.ts';
import { digestBytes, digestFile, HASHED_BYTES } from './content/digest.ts';
import { hasCode } from './file-failure.ts';

const OPEN_TEMPORARY = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Permission bits that survive; as with any write, set-user-id and set-group-id do not. */
const MODE_BITS = 0o1777;

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
  const target = entryPath(entry.directory, entry.name);
  const temporary = entryPath(entry.directory, `.toolexec-${randomBytes(12).toString('hex')}.tmp`);
  const fresh = request.expectedHash === null && request.mode === undefined;
  // Where the mode is not left to the umask, nobody else may look into the content before the mode is set.
  const handle = await open(temporary, OPEN_TEMPORARY, fresh ? 0o666 : 0o600);
  let renamed = false;
  try {
    await handle.writeFile(request.bytes);
    if (request.expectedHash === null) {
      if (request.mode !== undefined) await handle.chmod(request.mode & MODE_BITS);
      await create(temporary, target, request.shown);
    } else {
      const mode = await modeOfExpected(entry, request.expectedHash, request.shown);
      await handle.chmod((request.mode ?? mode) & MODE_BITS);
      await rename(temporary, target);
      renamed = true;
    }
    return await written(handle, request.bytes);
  } finally {
    await handle.close();
    // When even the removal fails, the directory is gone or closed to us; the first error says more.
    if (!renamed) await unlink(temporary).catch(() => undefined);
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

async function modeOfExpected(entry: ConfinedEntry, expectedHash: string, shown: string): Promise<number> {
  await using present = await openRegular(entry, shown);
  if (!present) throw new FileError('changed', `${shown} was removed since it was read. Nothing was written.`);
  if ((await digestFile(present.handle)) !== expectedHash) {
    throw new FileError('changed', `${shown} has changed since it was read. Nothing was written: read it again.`);
  }
  return present.stats.mode;
}

async function written(handle: FileHandle, bytes: Buffer): Promise<Written> {
  const { mtimeMs, size } = await handle.stat();
  return { hash: bytes.length > HASHED_BYTES ? await digestFile(handle) : digestBytes(bytes), mtimeMs, size };
}
