// The files of one session: every path goes through confinement, and what was read is remembered.
import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConfinedFile, SessionFiles } from '../contract/index.ts';
import { FileError } from '../contract/index.ts';
import { atomicWrite } from './atomic-write.ts';
import type { Roots } from './confine.ts';
import { openParent, openRegular, resolveInside } from './confine.ts';
import { digestFile } from './content/digest.ts';
import { asFileError, notAFileError } from './file-failure.ts';
import { createFileState } from './file-state.ts';
import { withLock } from './keyed-lock.ts';
import { missingError } from './missing-file.ts';
import { realPath } from './resolve-real.ts';

export interface SessionFilesOptions {
  /** Absolute real path; may be read and written. */
  readonly workspace: string;
  /** Absolute real paths of further directories that may be read. */
  readonly readableRoots: readonly string[];
  /** Absolute real paths of further directories that may be read and written. */
  readonly writableRoots?: readonly string[];
  /** Bound on the memory of what was read, in bytes. */
  readonly cacheBytes?: number;
}

/** Holds nothing open between calls, so it needs no closing. */
export function createSessionFiles(options: SessionFilesOptions): SessionFiles {
  const write = [options.workspace, ...(options.writableRoots ?? [])];
  const roots: Roots = { write, read: [...write, ...options.readableRoots] };
  const state = createFileState(options.cacheBytes);
  return {
    absolute: (path, cwd) => resolve(cwd, path),
    real: realPath,
    withFile: (path, use) => about(path, () => withFile(roots, path, use)),
    confine: (path) => about(path, () => confine(roots, path)),
    look: (path) => about(path, () => look(roots, path)),
    write: (request) => about(request.path, () => replace(roots, request)),
    remembered: (path) => state.get(path),
    remember: (path, snapshot) => state.set(path, snapshot),
    remembersAny: () => state.size > 0,
  };
}

async function about<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asFileError(error, path);
  }
}

async function withFile<T>(roots: Roots, path: string, use: (file: ConfinedFile) => Promise<T>): Promise<T> {
  using entry = await openParent({ path, roots, access: 'read' });
  await using file = await openRegular(entry, path);
  if (!file) throw await missingError(path, { existing: entry.directory.path, missing: [entry.name] }, roots.read);
  return await use({ path: entry.path, stats: file.stats, handle: file.handle });
}

async function confine(roots: Roots, path: string): ReturnType<SessionFiles['confine']> {
  const real = await resolveInside(path, roots, 'read');
  if (real.missing.length > 0) throw await missingError(path, real, roots.read);
  const stats = await lstat(real.existing);
  if (!stats.isFile() && !stats.isDirectory()) throw notAFileError(path, stats);
  return { path: real.existing, kind: stats.isFile() ? 'file' : 'directory' };
}

async function look(roots: Roots, path: string): ReturnType<SessionFiles['look']> {
  try {
    using entry = await openParent({ path, roots, access: 'write' });
    await using file = await openRegular(entry, path);
    if (!file) return null;
    const { mode, size, mtimeMs } = file.stats;
    return { path: entry.path, hash: await digestFile(file.handle), mode, size, mtimeMs };
  } catch (error) {
    if (error instanceof FileError && error.code === 'not_found') return null;
    throw error;
  }
}

async function replace(roots: Roots, request: Parameters<SessionFiles['write']>[0]): ReturnType<SessionFiles['write']> {
  const { path, ...content } = request;
  using entry = await openParent({ path, roots, access: 'write', makeParents: request.expectedHash === null });
  const written = await withLock(entry.path, () => atomicWrite(entry, { ...content, shown: path }));
  return { path: entry.path, ...written };
}
