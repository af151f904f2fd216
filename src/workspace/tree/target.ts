// From a path as a client writes it to something that is held open inside the workspace.
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FileError, Problem } from '../../contract/index.ts';
import type { ConfinedEntry, Roots } from '../confine.ts';
import { resolveInside, textFault } from '../confine.ts';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { entryPath, makeDirectories } from '../confined-directory.ts';
import { speakOf } from '../content/speak-of.ts';
import { asFileError, hasCode } from '../file-failure.ts';
import type { Quota } from './quota.ts';

/** What all work on one workspace shares. */
export interface TreeContext {
  /** Absolute real path. */
  readonly workspace: string;
  readonly roots: Roots;
  /** Absolute paths of files of the service that nobody may touch from here. */
  readonly secretFiles: readonly string[];
  /** Names of what is being received: not to be counted, listed in archives, or taken for a file. */
  readonly unfinished: Set<string>;
  readonly quota: Quota;
}

/** Bytes of a name and of a path, as Linux has them. */
const MAX_NAME = 255;
const MAX_PATH = 4_000;

/** @returns why nothing can have this path, or `null` */
export function pathFault(path: string): string | null {
  const isTooLong = Buffer.byteLength(path) > MAX_PATH || path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME);
  return textFault(path) ?? (isTooLong ? `A path may have ${MAX_PATH} bytes, and each name in it ${MAX_NAME}: make it shorter.` : null);
}

/**
 * Does something with a path of the workspace; what goes wrong is told of the path as the client knows it.
 * @param action gets the absolute, normalised path
 * @throws FileError, Problem `invalid-request`, `quota-exceeded`
 */
export async function withPath<T>({ workspace }: TreeContext, path: string, action: (absolute: string) => Promise<T>): Promise<T> {
  const fault = pathFault(path);
  if (fault !== null) throw new Problem('invalid-request', fault);
  const absolute = resolve(workspace, path);
  const shown = absolute === workspace ? 'The workspace' : path;
  return speakOf({ path: absolute, shown }, async () => {
    try {
      return await action(absolute);
    } catch (error) {
      if (hasCode(error, 'ENOSPC', 'EDQUOT')) throw new Problem('quota-exceeded', 'The disk is full: nothing was written.');
      throw asFileError(error, absolute);
    }
  });
}

export interface FolderRequest {
  readonly path: string;
  readonly roots: Roots;
  /** Makes what is missing of the path; `onMade` hears the absolute path of each directory that was made. */
  readonly onMade?: (path: string) => void;
}

/** Opens a directory, links followed. The caller disposes of it. @throws FileError */
export async function openFolder({ path, roots, onMade }: FolderRequest): Promise<ConfinedDirectory> {
  const real = await resolveInside(path, roots, 'write');
  if (real.missing.length > 0 && onMade === undefined) throw new FileError('not_found', `${path} does not exist.`);
  return makeDirectories(real.existing, real.missing, { roots: roots.write, shown: path, onMade });
}

/** Opens the parent of a name that is itself not followed where it is a link. @throws FileError */
export async function openName(path: string, roots: Roots): Promise<ConfinedEntry> {
  const parent = dirname(path);
  const directory = await speakOf({ path: parent, shown: path }, () => openFolder({ path: parent, roots }));
  const name = basename(path);
  return { directory, name, path: join(directory.path, name), [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** What a name of a held directory stands for, links not followed; `null` for nothing. */
export async function statName(directory: ConfinedDirectory, name: string): Promise<Stats | null> {
  try {
    return await lstat(entryPath(directory, name));
  } catch (error) {
    // What cannot be named or was removed this moment is not there either.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) return null;
    throw error;
  }
}

/** For something that is to be made where a file stands in the place of one of its parents: looking elsewhere would not help. */
export function throughFile(error: unknown, path: string): unknown {
  if (!hasCode(error, 'ENOTDIR', 'EEXIST')) return error;
  return new FileError('not_a_file', `${path} leads through a file, which is no directory.`);
}
