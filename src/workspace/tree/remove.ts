// Removing goes by held directories alone: a link is removed, never what it leads to.
import { rmdir, unlink } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { Precondition } from '../../contract/index.ts';
import { FileError } from '../../contract/index.ts';
import type { ConfinedEntry } from '../confine.ts';
import { openRegular } from '../confine.ts';
import { entryPath } from '../confined-directory.ts';
import { hasCode } from '../file-failure.ts';
import { withLock } from '../keyed-lock.ts';
import { removeBelow } from './empty-directory.ts';
import { etagOf } from './etag.ts';
import { findSecrets } from './secrets.ts';
import type { TreeContext } from './target.ts';
import { openName, statName } from './target.ts';

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
  const freed = recursive ? await removeBelow(entry, roots) : 0;
  try {
    await rmdir(entryPath(entry.directory, entry.name));
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    const advice = recursive
      ? 'Something was put into it while it was being removed: try again.'
      : 'Add ?recursive=true to remove all of it.';
    throw new FileError('exists', `${path} is a directory that is not empty. ${advice}`);
  }
  return freed;
}
