// A page of a directory in a fixed order, whatever its size: only the names of the page are held.
import type { Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { byCodePoint, type TreeEntry, type TreeEntryType } from '../../contract/index.ts';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { entryPath } from '../confined-directory.ts';
import { statName } from './target.ts';

export interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** @returns entries in the order of code points; what is removed meanwhile is left out */
export async function listPage(directory: ConfinedDirectory, { limit, cursor }: Page) {
  const after = cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString();
  const names = await firstNames(directory, { count: limit + 1, after });
  const page = names.slice(0, limit);
  const last = page.at(-1);
  const entries = await Promise.all(
    page.map(async (name): Promise<TreeEntry[]> => {
      const stats = await statName(directory, name);
      return stats === null ? [] : [entryOf(name, stats)];
    }),
  );
  return {
    entries: entries.flat(),
    nextCursor: names.length > limit && last !== undefined ? Buffer.from(last).toString('base64url') : null,
  };
}

async function firstNames(directory: ConfinedDirectory, { count, after }: { count: number; after: string | null }): Promise<string[]> {
  let names: string[] = [];
  for await (const { name } of await opendir(entryPath(directory, '.'))) {
    if (after !== null && byCodePoint(name, after) <= 0) continue;
    names.push(name);
    if (names.length >= 4 * count) names = names.toSorted(byCodePoint).slice(0, count);
  }
  return names.toSorted(byCodePoint).slice(0, count);
}

export function entryOf(name: string, stats: Stats): TreeEntry {
  return { name, type: typeOf(stats), size: stats.size, modifiedAt: stats.mtimeMs };
}

function typeOf(stats: Stats): TreeEntryType {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
