// Where a path is: as it is written, and where it leads. What allows must hold for both, what forbids for either.
import { isAbsolute, resolve } from 'node:path';
import { isWithin, type PermissionContext } from '../../contract/index.ts';

export interface Place {
  /** Absolute and normalised, links as they are written. */
  readonly shown: string;
  /** With all links followed, also where the end does not exist; `null` when that cannot be told. */
  readonly real: string | null;
}

/** Follows all links of an absolute path, dangling ones included. A part that does not exist stays as it is written. */
export type RealPath = (path: string) => Promise<string>;

export async function placeOf(path: string, realPath: RealPath): Promise<Place> {
  const shown = resolve('/', path);
  if (!isAbsolute(path) || path.includes('\0')) return { shown, real: null };
  try {
    return { shown, real: await realPath(path) };
  } catch {
    // Links in a circle, a name too long, a directory that may not be searched: it leads nowhere that is known.
    return { shown, real: null };
  }
}

/** Directories of a session, absolute and real. */
export interface Scope {
  readonly workspace: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** Where the service keeps its own files. */
  readonly dataDir: string;
}

export function scopeOf(context: PermissionContext, { home, dataDir }: Pick<Scope, 'home' | 'dataDir'>): Scope {
  const { workspace, readableRoots = [workspace], writableRoots = [workspace], state } = context;
  return { workspace, readable: readableRoots, writable: writableRoots, cwd: state.cwd, home, dataDir };
}

/** Whether what is there may be read, or written, without leaving the session's directories. */
export function isInside({ real }: Place, access: 'read' | 'write', { readable, writable }: Scope): boolean {
  return real !== null && (access === 'write' ? writable : readable).some((root) => isWithin(root, real));
}
