// What a rewind does to one file, inside the roots and never through a link: a file is only changed while it is still as
// it was looked at.
import { rmdir, unlink } from 'node:fs/promises';
import { FileError, isWithin } from '../../contract/index.ts';
import { atomicWrite, MODE_BITS } from '../atomic-write.ts';
import { openParent, openRegular, resolveInside, type ConfinedEntry, type Roots } from '../confine.ts';
import { entryPath } from '../confined-directory.ts';
import { digestFile } from '../content/digest.ts';
import { hasCode } from '../file-failure.ts';
import { withLock } from '../keyed-lock.ts';

export interface PresentFile {
  readonly hash: string;
  /** Permission bits that a write can put back. */
  readonly mode: number;
}

/** @returns `null` when there is no file. @throws FileError when something else is there, or a link leads there */
export async function lookAt(path: string, roots: Roots): Promise<PresentFile | null> {
  try {
    using entry = await openUnlinked(path, roots);
    return await present(entry);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR') || (error instanceof FileError && error.code === 'not_found')) return null;
    throw error;
  }
}

/** @param was the file that was looked at; `null` for none. @throws FileError */
export async function restoreFile(
  { path, roots, was }: { path: string; roots: Roots; was: PresentFile | null },
  content: { bytes: Buffer; mode: number },
): Promise<void> {
  using entry = await openUnlinked(path, roots, was === null);
  await withLock(entry.path, () => atomicWrite(entry, { ...content, expectedHash: was?.hash ?? null, shown: path }));
}

/** @param was the file that was looked at. @throws FileError */
export async function removeFile({ path, roots, was }: { path: string; roots: Roots; was: PresentFile }): Promise<void> {
  using entry = await openUnlinked(path, roots);
  await withLock(entry.path, async () => {
    if ((await present(entry))?.hash !== was.hash) throw new FileError('changed', `${path} was changed at this moment. Try again.`);
    await unlink(entryPath(entry.directory, entry.name));
  });
}

/** Removes a directory; one that is not empty, or not reached any more, stays. */
export async function removeEmptyDirectory(path: string, roots: Roots): Promise<void> {
  try {
    using entry = await openUnlinked(path, roots);
    await rmdir(entryPath(entry.directory, entry.name));
  } catch {
    // It was made for a file alone: where it serves for something else by now, it stays.
  }
}

async function openUnlinked(path: string, roots: Roots, makeParents = false): Promise<ConfinedEntry> {
  const linked = (): FileError => new FileError('changed', `${path} is a symbolic link now, or lies behind one.`);
  const real = await resolveInside(path, roots, 'write').catch((error: unknown) => {
    // What leads out from a place inside is a link; anything else lies where the session may not write any more.
    throw error instanceof FileError && roots.write.some((root) => isWithin(root, path)) ? linked() : error;
  });
  if (real.path !== path) throw linked();
  const entry = await openParent({ path, roots, access: 'write', makeParents });
  if (entry.path === path) return entry;
  entry[Symbol.dispose]();
  throw linked();
}

async function present(entry: ConfinedEntry): Promise<PresentFile | null> {
  await using file = await openRegular(entry, entry.path);
  return file && { hash: await digestFile(file.handle), mode: file.stats.mode & MODE_BITS };
}
