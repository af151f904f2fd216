// All that is in a workspace, directory by directory, with one directory open at a time. Nothing is followed out of it.
import type { Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError, Problem } from '../../contract/index.ts';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { entryPath, openDirectory } from '../confined-directory.ts';
import { hasCode } from '../file-failure.ts';
import type { TreeContext } from './target.ts';
import { statName } from './target.ts';

/** Entries of a workspace that are looked at. */
const MAX_ENTRIES = 500_000;

export interface Walked {
  /** Relative to the workspace. */
  readonly path: string;
  readonly name: string;
  /** Of the entry itself, where it is a link. */
  readonly stats: Stats;
  /** Held open until the next step. */
  readonly directory: ConfinedDirectory;
}

/**
 * Directories come before what is in them; what is removed meanwhile is passed over.
 * @throws Problem `quota-exceeded` when there are too many entries
 */
export async function* walk({ workspace, roots, unfinished }: TreeContext): AsyncGenerator<Walked, void, void> {
  const pending = [''];
  let left = MAX_ENTRIES;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    using directory = await openWalked(join(workspace, at), roots.read);
    if (directory === null) continue;
    for await (const { name } of await opendir(entryPath(directory, '.'))) {
      const stats = unfinished.has(name) ? null : await statName(directory, name);
      if (stats === null) continue;
      left -= 1;
      if (left < 0) {
        throw new Problem('quota-exceeded', `The workspace holds more than the ${MAX_ENTRIES} files that can be counted: remove some.`);
      }
      const path = at === '' ? name : `${at}/${name}`;
      yield { path, name, stats, directory };
      if (stats.isDirectory()) pending.push(path);
    }
  }
}

/** `null` for one that is gone, closed to us, or another by now. */
async function openWalked(path: string, roots: readonly string[]): Promise<ConfinedDirectory | null> {
  try {
    const directory = await openDirectory(path, roots, path);
    if (directory.path === path) return directory;
    directory[Symbol.dispose]();
    return null;
  } catch (error) {
    if (error instanceof FileError || hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG')) return null;
    throw error;
  }
}
