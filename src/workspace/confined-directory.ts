// A directory that is held open and known to lie inside the roots. All that happens to a file happens through the held
// directory, so that swapping a part of the path for a link afterwards changes nothing.
// What the kernel answers from memory (where an open directory is, closing it) is asked synchronously: a detour over
// another thread would take longer than all the rest.
import { closeSync, constants, fstatSync, open, readlinkSync } from 'node:fs';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isWithin } from '../contract/index.ts';
import { hasCode, movedError, outsideError } from './file-failure.ts';

const openDescriptor = promisify(open);
const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Closed by `using`. */
export interface ConfinedDirectory extends Disposable {
  readonly descriptor: number;
  /** Absolute real path, as the system told it of the open directory. */
  readonly path: string;
}

/**
 * Opens a directory and checks that what was opened lies in one of `roots`. The caller disposes of it.
 * @param shown the path that errors speak of
 * @throws FileError `outside`, or the operating system's error (`ENOTDIR` when a link stands there now).
 */
export async function openDirectory(path: string, roots: readonly string[], shown: string): Promise<ConfinedDirectory> {
  const descriptor = await openDescriptor(path, OPEN_DIRECTORY);
  try {
    const at = await whereItIs(descriptor, path);
    if (!roots.some((root) => isWithin(root, at))) throw outsideError(shown);
    return { descriptor, path: at, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

interface Making {
  readonly roots: readonly string[];
  /** The path that errors speak of. */
  readonly shown: string;
  /** Hears the absolute path of each directory that was made. */
  readonly onMade?: ((path: string) => void) | undefined;
}

/**
 * Opens the last of `names`, each a directory in the one before, the first of them in `from`; a missing one is made once the one
 * before was checked. The caller disposes of it. @throws as {@link openDirectory}
 */
export async function makeDirectories(from: string, names: readonly string[], making: Making): Promise<ConfinedDirectory> {
  let directory = await openDirectory(from, making.roots, making.shown);
  for (const name of names) {
    using parent = directory;
    directory = await makeDirectory(parent, name, making);
  }
  return directory;
}

async function makeDirectory(parent: ConfinedDirectory, name: string, { roots, shown, onMade }: Making): Promise<ConfinedDirectory> {
  const path = entryPath(parent, name);
  try {
    await mkdir(path);
    onMade?.(join(parent.path, name));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return openDirectory(path, roots, shown);
}

/**
 * For a directory that was held open for long: whether it is still where it was when it was opened.
 * @throws FileError `changed` when it was moved or removed
 */
export async function assertInPlace(directory: ConfinedDirectory, shown: string): Promise<void> {
  if ((await whereItIs(directory.descriptor, directory.path)) !== directory.path) throw movedError(shown);
}

/**
 * The path of an entry that is resolved from the open directory itself. Only Linux has such paths; elsewhere the plain
 * path is used, which is checked but not proof against a race.
 */
export function entryPath(directory: ConfinedDirectory, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${directory.descriptor}/${name}` : join(directory.path, name);
}

async function whereItIs(descriptor: number, path: string): Promise<string> {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`);
  const opened = fstatSync(descriptor);
  const named = await lstat(path);
  if (opened.dev !== named.dev || opened.ino !== named.ino) throw movedError(path);
  return realpath(path);
}
