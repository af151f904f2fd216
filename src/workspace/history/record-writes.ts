// Before the first write of a turn to a file its state is kept. A write that then fails takes this back, so that a rewind
// leaves alone what was never written.
import { FileError } from '../../contract/index.ts';
import { MODE_BITS } from '../atomic-write.ts';
import { openParent, openRegular, resolveInside, type Roots } from '../confine.ts';
import { asFileError } from '../file-failure.ts';
import { withLock } from '../keyed-lock.ts';
import type { RealPath } from '../resolve-real.ts';
import type { Found, HistoryStore } from './history-store.ts';

export interface Recording {
  readonly store: HistoryStore;
  /** `null` for rewinds. */
  readonly turn: string | null;
  readonly roots: Roots;
  /** An absolute real path as the history names it. */
  readonly named: (path: string) => string;
}

/** Writes a file once its state is kept. @throws FileError when it cannot be kept: nothing is written then */
export type RecordedWrite = <T>(path: string, write: () => Promise<T>) => Promise<T>;

export function recordWrites({ store, turn, roots, named }: Recording): RecordedWrite {
  const kept = new Set<string>();
  return async (path, write) => {
    const real = await resolveInside(path, roots, 'write');
    const target = real.path;
    if (kept.has(target)) return write();
    const writer = { turn, path: named(target) };
    // Whoever writes the same file at once waits: until then nobody knows whether its state is kept.
    return withLock(`history of ${turn}: ${target}`, async () => {
      if (kept.has(target)) return write();
      const isNew = await whileFound({ path, real, roots }, (found) => keep({ store, writer, found, path }));
      try {
        const result = await write();
        kept.add(target);
        return result;
      } catch (error) {
        // Why nothing was written matters more than an entry too many.
        if (isNew) await store.takeBack(writer).catch(() => undefined);
        throw error;
      }
    });
  };
}

async function whileFound<T>(
  { path, real, roots }: { path: string; real: RealPath; roots: Roots },
  use: (found: Found) => Promise<T>,
): Promise<T> {
  try {
    if (real.missing.length > 0) return await use({ kind: 'absent', directories: real.missing.length - 1 });
    using entry = await openParent({ path, roots, access: 'write' });
    await using file = await openRegular(entry, path);
    if (!file) return await use({ kind: 'absent', directories: 0 });
    const { handle, stats } = file;
    return await use({ kind: 'file', handle, size: stats.size, mode: stats.mode & MODE_BITS });
  } catch (error) {
    throw asFileError(error, path);
  }
}

async function keep(request: {
  store: HistoryStore;
  writer: Parameters<HistoryStore['keep']>[0];
  found: Found;
  path: string;
}): Promise<boolean> {
  try {
    return await request.store.keep(request.writer, request.found);
  } catch (error) {
    const cause = asFileError(error, 'The history of the session');
    if (!(cause instanceof FileError)) throw error;
    throw new FileError('io', `${request.path} was not written, since what it holds now could not be kept first. ${cause.message}`);
  }
}
