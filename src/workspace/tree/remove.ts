// Removing goes by held directories alone: a link is removed, never what it leads to. A directory is emptied by moving
// the directories in it up into it, one after another, so that however deep it is only two are open at a time.
import { randomBytes } from 'node:crypto';
import { opendir, rename, rmdir, unlink } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { Precondition } from '../../contract/index.ts';
import { FileError } from '../../contract/index.ts';
import type { ConfinedEntry } from '../confine.ts';
import { openRegular } from '../confine.ts';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { entryPath, openDirectory } from '../confined-directory.ts';
import { hasCode } from '../file-failure.ts';
import { withLock } from '../keyed-lock.ts';
import { etagOf } from './etag.ts';
import { findSecrets } from './secrets.ts';
import type { TreeContext } from './target.ts';
import { openName, statName } from './target.ts';

/** Times that a directory is looked through again: each time takes at least one level of it. */
const MAX_PASSES = 10_000;

export interface RemoveOptions {
  readonly recursive?: boolean;
  readonly precondition?: Precondition | undefined;
}

/** @param path absolute. @throws FileError, what the precondition throws */
export async function removePath(context: TreeContext, path: string, { recursive = false, precondition }: RemoveOptions): Promise<void> {
  if (path === context.workspace) {
    throw new FileError('denied', 'The workspace itself cannot be removed: remove what is in it, or delete the session.');
  }
  const secrets = await findSecrets(context.secretFiles);
  using entry = await openName(path, context.roots);
  const freed = await withLock(entry.path, async () => {
    const stats = await statName(entry.directory, entry.name);
    precondition?.(stats === null ? null : await etagOfName(entry, { stats, path }));
    if (stats === null) throw new FileError('not_found', `${path} does not exist.`);
    secrets.assertNone(entry.path, stats);
    if (!stats.isDirectory()) {
      await unlink(entryPath(entry.directory, entry.name));
      return stats.isFile() ? stats.size : 0;
    }
    secrets.assertNoneBelow(entry.path);
    return removeDirectory(entry, { path, recursive, roots: context.roots.write });
  });
  context.quota.free(freed);
}

async function etagOfName(entry: ConfinedEntry, { stats, path }: { stats: Stats; path: string }): Promise<string> {
  if (!stats.isFile()) return '';
  await using file = await openRegular(entry, path);
  return file === null ? '' : await etagOf(file);
}

interface DirectoryRemoval {
  readonly path: string;
  readonly recursive: boolean;
  readonly roots: readonly string[];
}

async function removeDirectory(entry: ConfinedEntry, { path, recursive, roots }: DirectoryRemoval): Promise<number> {
  const at = entryPath(entry.directory, entry.name);
  let freed = 0;
  if (recursive) {
    using directory = await openDirectory(at, roots, path);
    freed = await emptyDirectory(directory, roots);
  }
  try {
    await rmdir(at);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    const advice = recursive
      ? 'Something was put into it while it was being removed: try again.'
      : 'Add ?recursive=true to remove all of it.';
    throw new FileError('exists', `${path} is a directory that is not empty. ${advice}`);
  }
  return freed;
}

/** Removes all that is in a directory. @returns the bytes of its files */
export async function emptyDirectory(directory: ConfinedDirectory, roots: readonly string[]): Promise<number> {
  let freed = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    let found = false;
    for await (const { name } of await opendir(entryPath(directory, '.'))) {
      found = true;
      freed += await removeName({ from: directory, name, top: directory, roots });
    }
    if (!found) break;
  }
  return freed;
}

interface NamedIn {
  readonly from: ConfinedDirectory;
  readonly name: string;
  /** Where the directories in it are moved to. */
  readonly top: ConfinedDirectory;
  readonly roots: readonly string[];
}

async function removeName({ from, name, top, roots }: NamedIn): Promise<number> {
  const stats = await statName(from, name);
  const path = entryPath(from, name);
  if (stats === null) return 0;
  if (!stats.isDirectory()) {
    await ignoringGone(unlink(path));
    return stats.isFile() ? stats.size : 0;
  }
  if (from !== top) {
    await ignoringGone(rename(path, entryPath(top, randomBytes(12).toString('hex'))));
    return 0;
  }
  let freed = 0;
  {
    using below = await openDirectory(path, roots, name);
    for await (const child of await opendir(entryPath(below, '.')))
      freed += await removeName({ from: below, name: child.name, top, roots });
  }
  // What came into it meanwhile is found by the next pass.
  await rmdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error;
  });
  return freed;
}

async function ignoringGone(action: Promise<void>): Promise<void> {
  try {
    await action;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
