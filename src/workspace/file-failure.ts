// What the operating system says about a file, in words for a model: the path and what to change, never how it was opened.
import type { Stats } from 'node:fs';
import { FileError } from '../contract/index.ts';
import type { FileErrorCode } from '../contract/index.ts';

const FAILURES: Readonly<Record<string, readonly [FileErrorCode, string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'does not exist: a part of the path is not a directory'],
  ELOOP: ['not_found', 'is a symbolic link that leads nowhere'],
  EACCES: ['denied', 'may not be used: permission denied'],
  EPERM: ['denied', 'may not be used: permission denied'],
  EROFS: ['denied', 'lies on a read-only file system'],
  EISDIR: ['not_a_file', 'is a directory, not a file'],
  ENXIO: ['not_a_file', 'is not a regular file'],
  EEXIST: ['exists', 'already exists'],
  ENAMETOOLONG: ['io', 'has a name that is too long for the file system'],
  ENOSPC: ['io', 'could not be written: the disk is full'],
  EDQUOT: ['io', 'could not be written: the disk quota is used up'],
};

/** Turns an error of the operating system into a {@link FileError} about `path`; any other error comes back as it is. */
export function asFileError(error: unknown, path: string): unknown {
  if (!isSystemError(error)) return error;
  const [code, words] = FAILURES[error.code] ?? ['io', `could not be used (${error.code})`];
  return new FileError(code, `${path} ${words}.`);
}

/** True for an error of the operating system with one of these codes, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return isSystemError(error) && codes.includes(error.code);
}

export function outsideError(path: string): FileError {
  return new FileError('outside', `${path} is outside of the workspace. Use a path inside of it.`);
}

/** The path was swapped for something else between looking at it and opening it. */
export function movedError(path: string): FileError {
  return new FileError('changed', `${path} was replaced while it was being opened. Try again.`);
}

export function notAFileError(path: string, stats: Stats): FileError {
  return new FileError('not_a_file', `${path} is ${kindOf(stats)}, not a regular file.`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  return 'a device';
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && 'errno' in error && 'code' in error && typeof error.code === 'string';
}
