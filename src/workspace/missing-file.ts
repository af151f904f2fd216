// What is said of a path that is not there: a name like it that is, or how to find the right one.
import { opendir } from 'node:fs/promises';
import { FileError } from '../contract/index.ts';
import { entryPath, openDirectory } from './confined-directory.ts';
import type { RealPath } from './resolve-real.ts';

/** Entries of a directory that are compared, and characters of a name. */
const MAX_ENTRIES = 2_000;
const MAX_NAME_CHARS = 100;
/** Likeness, from 0 to 1, above which a name counts as near. */
const NEAR = 0.7;

/**
 * The error for a path that does not exist.
 * @param real how far it leads
 * @param roots where names may be told of
 */
export async function missingError(shown: string, real: Omit<RealPath, 'path'>, roots: readonly string[]): Promise<FileError> {
  const [missing = ''] = real.missing;
  // Only advice: a directory that cannot be listed, or was swapped for a link that leads out, gives none.
  const near = await nearestName(real.existing, missing, roots).catch(() => null);
  const advice = near === null ? 'Find it with a search tool.' : `Did you mean ${quoted(near)} instead of ${quoted(missing)}?`;
  return new FileError('not_found', `${shown} does not exist. ${advice}`);
}

async function nearestName(parent: string, wanted: string, roots: readonly string[]): Promise<string | null> {
  using directory = await openDirectory(parent, roots, parent);
  const pairs = pairsOf(wanted);
  let best: { readonly name: string | null; readonly score: number } = { name: null, score: NEAR };
  let left = MAX_ENTRIES;
  for await (const { name } of await opendir(entryPath(directory, '.'))) {
    const score = likeness(pairs, pairsOf(name));
    if (score > best.score || (score === best.score && best.name !== null && name < best.name)) best = { name, score };
    left -= 1;
    if (left === 0) break;
  }
  return best.name;
}

/** Share of pairs of neighbouring characters in common (Dice's coefficient). */
function likeness(pairs: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of others) if (pairs.has(pair)) shared += 1;
  return (2 * shared) / (pairs.size + others.size || 1);
}

/** Each two neighbouring characters. Case does not count: file systems differ in it. */
function pairsOf(name: string): Set<string> {
  const text = name.slice(0, MAX_NAME_CHARS).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

/** A name with control characters must not pass for another line. */
function quoted(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
