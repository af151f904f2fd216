// From a path to an open parent directory inside the roots: resolve, look whether it lies inside, open the parent,
// look again at what was opened, and from then on go by the open directory alone.
import { constants, fstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileError, isWithin } from '../contract/index.ts';
import type { ConfinedDirectory } from './confined-directory.ts';
import { entryPath, makeDirectories } from './confined-directory.ts';
import { asFileError, hasCode, movedError, notAFileError, outsideError } from './file-failure.ts';
import { missingError } from './missing-file.ts';
import type { RealPath } from './resolve-real.ts';
import { resolveReal } from './resolve-real.ts';

/** Without O_NONBLOCK, opening a named pipe would wait for its writer. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Absolute real paths. What may be written may be read. */
export interface Roots {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

export type Access = keyof Roots;

/** The open parent of a file that may or may not exist. Closed by `using`. */
export interface ConfinedEntry extends Disposable {
  readonly directory: ConfinedDirectory;
  readonly name: string;
  /** Absolute real path of the file. */
  readonly path: string;
}

/**
 * Follows a path's links and checks that it ends inside the roots. A path that leads out says nothing of what is there.
 * @throws FileError `outside`, `denied` (readable, but not writable), or that of {@link asFileError}.
 */
export async function resolveInside(path: string, roots: Roots, access: Access): Promise<RealPath> {
  const fault = textFault(path);
  if (fault !== null) throw new FileError('denied', fault);
  const real = await resolveReal(path).catch(async (error: unknown) => {
    throw (await leadsInside(path, roots)) ? asFileError(error, path) : outsideError(path);
  });
  if (roots[access].some((root) => isWithin(root, real.path))) return real;
  if (roots.read.some((root) => isWithin(root, real.path))) throw new FileError('denied', `${path} may be read, but not written.`);
  throw outsideError(path);
}

/** @returns why a text is no path, or `null` */
export function textFault(path: string): string | null {
  if (path.includes('\0')) return 'A path cannot contain a NUL character: remove it.';
  // It would be another path for the system than for whoever judges it.
  return path.isWellFormed() ? null : 'A path cannot contain half of a character (a lone surrogate): remove it.';
}

/** For a path that cannot be resolved: whether the deepest part that can lies inside, so that its fault may be told. */
async function leadsInside(path: string, roots: Roots): Promise<boolean> {
  const parent = dirname(path);
  const real = await resolveReal(parent).catch(() => null);
  if (real === null) return parent !== path && leadsInside(parent, roots);
  return roots.read.some((root) => isWithin(root, real.path));
}

export interface ParentRequest {
  readonly path: string;
  readonly roots: Roots;
  readonly access: Access;
  /** Makes missing parents one by one, each checked before the next. */
  readonly makeParents?: boolean;
  /** Hears the absolute path of each parent that was made. */
  readonly onMade?: (path: string) => void;
}

/**
 * Opens the parent directory of a file.
 * @throws FileError `not_found` (a parent is missing), or as {@link resolveInside}.
 */
export async function openParent(request: ParentRequest): Promise<ConfinedEntry> {
  const { path: shown, access, makeParents = false, onMade } = request;
  const real = await resolveInside(shown, request.roots, access);
  const roots = request.roots[access];
  if (real.missing.length === 0 && roots.includes(real.existing)) throw new FileError('not_a_file', `${shown} is a directory, not a file.`);
  if (real.missing.length > 1 && !makeParents) {
    throw access === 'read' ? await missingError(shown, real, roots) : new FileError('not_found', `${shown} does not exist.`);
  }
  const deepest = real.missing.length === 0 ? dirname(real.existing) : real.existing;
  const directory = await makeDirectories(deepest, real.missing.slice(0, -1), { roots, shown, onMade });
  const name = basename(real.path);
  return { directory, name, path: join(directory.path, name), [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** A regular file, open for reading. Closed by `await using`. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Opens a regular file of an open directory; `null` when there is none.
 * @throws FileError `not_a_file` for anything else, without waiting for or waking what is behind it; `changed` for a link.
 */
export async function openRegular(entry: ConfinedEntry, shown: string): Promise<OpenFile | null> {
  const path = entryPath(entry.directory, entry.name);
  try {
    const before = await lstat(path);
    if (before.isSymbolicLink()) throw movedError(shown);
    if (!before.isFile()) throw notAFileError(shown, before);
    const handle = await open(path, OPEN_FILE);
    const stats = fstatSync(handle.fd);
    if (stats.isFile()) return { handle, stats, [Symbol.asyncDispose]: () => handle.close() };
    await handle.close();
    throw notAFileError(shown, stats);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw hasCode(error, 'ELOOP') ? movedError(shown) : error;
  }
}
