// What an entry of an archive may be: judged by its header alone, before anything of it is written.
import type { Header } from 'tar-stream';
import { Problem } from '../../contract/index.ts';
import { pathFault } from './target.ts';

/** Others than the owner never get to write, and nobody gets a set-user-id program. */
const UNPACKED_MODE = 0o755;
/** Seconds since 1970 that a file may say it is of. */
const MAX_TIME_MS = 2 ** 33 * 1_000;

export interface ArchiveFile {
  readonly type: 'file';
  /** Relative to the workspace, normalised. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
  readonly modifiedAt: Date | null;
}

export interface ArchiveDirectory {
  readonly type: 'directory';
  readonly path: string;
  readonly mode: number;
}

export interface ArchiveLink {
  readonly type: 'link';
  readonly path: string;
  readonly target: string;
  /** Directories that the target goes up. */
  readonly climbs: number;
}

export type ArchiveEntry = ArchiveFile | ArchiveDirectory | ArchiveLink;

/** What the reader of archives gives; its types leave out what it cannot read. */
export type EntryHeader = Pick<Header, 'name' | 'mode' | 'size' | 'mtime'> & {
  readonly type: Header['type'] | null;
  readonly linkname: string | null;
};

/** @returns `null` for the workspace itself. @throws Problem `invalid-request` */
export function judgeEntry({ name, type, mode, size, mtime, linkname }: EntryHeader): ArchiveEntry | null {
  const path = entryPathOf(name);
  const permissions = mode & UNPACKED_MODE;
  const isDirectory = type === 'directory' || (type === 'file' && name.endsWith('/') && size === 0);
  // Its owner can always go on working in it.
  if (isDirectory) return path === '' ? null : { type: 'directory', path, mode: permissions | 0o700 };
  if (path === '') throw refused(name, 'is the workspace itself, which is a directory');
  if (type === 'file' || type === 'contiguous-file') return { type: 'file', path, mode: permissions, size, modifiedAt: timeOf(mtime) };
  if (type === 'symlink') return { type: 'link', path, target: linkname ?? '', climbs: climbsOf(path, linkname ?? '') };
  if (type === 'link') throw refused(path, 'is a hard link: store it as a file of its own (with GNU tar: --hard-dereference)');
  throw refused(
    path,
    `is ${WORDS[type ?? ''] ?? 'of a kind that is not known'}: an archive may hold files, directories and symbolic links`,
  );
}

const WORDS: Readonly<Record<string, string>> = {
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a named pipe',
};

function entryPathOf(name: string): string {
  const fault = pathFault(name);
  if (fault !== null) throw refused(name, `cannot be a file: ${fault}`);
  if (name.startsWith('/')) throw refused(name, 'has an absolute path: store it relative to the workspace');
  const names = name.split('/').filter((part) => part !== '' && part !== '.');
  if (names.includes('..')) throw refused(name, 'has .. in its path: store it without');
  return names.join('/');
}

/**
 * A link may only lead to where nothing but the names say: up first, then down. After a name, `..` would lead from where
 * that name leads, which may be another link.
 * @returns how many directories it goes up
 */
function climbsOf(path: string, target: string): number {
  const fault = pathFault(target);
  if (target === '' || fault !== null) throw refused(path, `is a link that leads nowhere. ${fault ?? ''}`.trim());
  const names = target.split('/').filter((part, index) => (part !== '' || index === 0) && part !== '.');
  const climbs = names.findIndex((part) => part !== '..');
  const up = climbs === -1 ? names.length : climbs;
  const depth = path.split('/').length - 1;
  if (target.startsWith('/') || up > depth || names.slice(up).includes('..')) {
    throw refused(
      path,
      `is a link to ${target.slice(0, 200)}, which may lead out of the workspace: links must be relative and stay inside`,
    );
  }
  return up;
}

function timeOf(time: Date): Date | null {
  const ms = time.getTime();
  return ms >= 0 && ms < MAX_TIME_MS ? new Date(ms) : null;
}

function refused(name: string, reason: string): Problem {
  return new Problem(
    'invalid-request',
    `The entry ${JSON.stringify(name.slice(0, 300))} ${reason.replace(/\.$/, '')}. Nothing of the archive was unpacked.`,
  );
}
