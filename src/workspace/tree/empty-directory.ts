// A directory is emptied by moving the directories in it up into it, one after another, so that however deep it is only two
// are open at a time. Names are bytes and need not be text; directories may be closed to their owner, as caches of packages
// are: neither keeps anything from being removed.
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, lstat, open, opendir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { entryPath, openDirectory } from '../confined-directory.ts';
import { hasCode } from '../file-failure.ts';

/** Times that a directory is looked through again: each time takes at least one level of it. */
const MAX_PASSES = 10_000;
const OWNER_MODE = 0o700;
/** Opens what may not be read, only to hold it; Node has no name for it. */
const O_PATH = 0o10000000;
const HOLD_DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

interface Named {
  readonly directory: ConfinedDirectory;
  readonly name: string;
}

/**
 * Removes a directory of the service's own with all that commands have left in it, when nothing works there any more.
 * @param path absolute. What is not there is removed already, and of a link only that itself is removed
 */
export async function removeTree(path: string): Promise<void> {
  try {
    const parent = await realpath(dirname(path));
    using directory = await openDirectory(parent, [parent], path);
    await removeBelow({ directory, name: basename(path) }, [parent], Infinity);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  await rm(path, { recursive: true, force: true });
}

/** Removes all that is in a named directory, but not itself. @returns the bytes of its files. @throws Error of the system */
export async function removeBelow({ directory, name }: Named, roots: readonly string[], passes = MAX_PASSES): Promise<number> {
  const path = entryPath(directory, name);
  await openUp(path, await lstat(path));
  using below = await openDirectory(path, roots, name);
  return await emptyDirectory(below, roots, passes);
}

/** Removes all that is in a directory. @returns the bytes of its files */
export async function emptyDirectory(directory: ConfinedDirectory, roots: readonly string[], passes = MAX_PASSES): Promise<number> {
  let freed = 0;
  for (let pass = 0; pass < passes; pass += 1) {
    let found = false;
    for await (const name of rawNames(directory)) {
      found = true;
      freed += await removeName({ from: directory, name, top: directory, roots });
    }
    if (!found) break;
  }
  return freed;
}

interface NamedIn {
  readonly from: ConfinedDirectory;
  /** Its bytes, one character each. */
  readonly name: string;
  /** Where the directories in it are moved to. */
  readonly top: ConfinedDirectory;
  readonly roots: readonly string[];
}

async function removeName({ from, name, top, roots }: NamedIn): Promise<number> {
  const path = Buffer.concat([Buffer.from(`${entryPath(from, '.')}/`), Buffer.from(name, 'latin1')]);
  const stats = await unlessGone(lstat(path));
  if (stats === null) return 0;
  if (!stats.isDirectory()) {
    await unlessGone(unlink(path));
    return stats.isFile() ? stats.size : 0;
  }
  await unlessGone(openUp(path, stats));
  // What is not text cannot be opened by its name.
  if (from !== top || !isAscii(name)) {
    await unlessGone(rename(path, entryPath(top, randomBytes(12).toString('hex'))));
    return 0;
  }
  let freed = 0;
  {
    using below = await openDirectory(entryPath(from, name), roots, name);
    for await (const child of rawNames(below)) freed += await removeName({ from: below, name: child, top, roots });
  }
  // What came into it meanwhile is found by the next pass.
  await rmdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error;
  });
  return freed;
}

/** Lets the owner into a directory, whatever stands in its place meanwhile. */
async function openUp(path: string | Buffer, { mode }: Stats): Promise<void> {
  if ((mode & OWNER_MODE) === OWNER_MODE || process.platform !== 'linux') return;
  await using held = await open(path, HOLD_DIRECTORY);
  await chmod(`/proc/self/fd/${held.fd}`, OWNER_MODE);
}

async function* rawNames(directory: ConfinedDirectory): AsyncGenerator<string, void, void> {
  for await (const { name } of await opendir(entryPath(directory, '.'), { encoding: 'latin1' })) yield name;
}

function isAscii(name: string): boolean {
  return Buffer.byteLength(name) === name.length;
}

async function unlessGone<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
