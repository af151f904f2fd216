import { rmdir, unlink } from 'node:fs/promises';
import { entryPath } from '../confined-directory.ts';
import { isLeftOver } from '../temporary-name.ts';
import { removeBelow } from './empty-directory.ts';
import type { TreeContext } from './target.ts';
import { walk, type Walked } from './walk.ts';

/**
 * Bytes of all files; a file with several names counts once for each. What a crash has left of writes would count for ever,
 * and is removed: the workspace must be one that only this process writes to.
 */
export async function countBytes(context: TreeContext): Promise<number> {
  let bytes = 0;
  for await (const walked of walk(context)) {
    if (isLeftOver(walked.name, walked.stats)) await removeLeftOver(walked, context);
    else if (walked.stats.isFile()) bytes += walked.stats.size;
  }
  return bytes;
}

async function removeLeftOver({ directory, name, stats }: Walked, { roots }: TreeContext): Promise<void> {
  try {
    if (stats.isDirectory()) await removeBelow({ directory, name }, roots.write);
    await (stats.isDirectory() ? rmdir : unlink)(entryPath(directory, name));
  } catch {
    // It is gone, or closed to us: the next count finds it again.
  }
}
