// The history of a session's files: what its turns have written over, and the way back.
import { relative, resolve } from 'node:path';
import { isWithin, type FileHistory } from '../../contract/index.ts';
import type { Roots } from '../confine.ts';
import { withLock } from '../keyed-lock.ts';
import { checkpointsOf } from './entry.ts';
import { createHistoryStore, type HistoryLimits } from './history-store.ts';
import { recordWrites } from './record-writes.ts';
import { rewindFiles } from './rewind.ts';

const LIMITS: HistoryLimits = {
  checkpoints: 100,
  fileBytes: 64 * 1024 ** 2,
  allBytes: 1024 ** 3,
  manifestBytes: 16 * 1024 ** 2,
};

export interface FileHistoryOptions {
  /** Private to the service; made when something is kept. */
  readonly directory: string;
  /** Absolute real path. */
  readonly workspace: string;
  /** Absolute real paths of all directories that may be written, the workspace among them. */
  readonly writableRoots: readonly string[];
  /** Absolute real paths of all directories that may be read. */
  readonly readableRoots: readonly string[];
  readonly limits?: Partial<HistoryLimits>;
}

/** Holds nothing open between calls, so it needs no closing. */
export function createFileHistory({ directory, workspace, limits, ...options }: FileHistoryOptions): FileHistory {
  const store = createHistoryStore(directory, { ...LIMITS, ...limits });
  const roots: Roots = { read: options.readableRoots, write: options.writableRoots };
  const named = (path: string): string => (isWithin(workspace, path) ? relative(workspace, path) : path);
  const located = (path: string): string => resolve(workspace, path);
  return {
    filesFor(turnId, files) {
      const record = recordWrites({ store, turn: turnId, roots, named });
      return { ...files, write: (request) => record(request.path, () => files.write(request)) };
    },
    list: async () => checkpointsOf(await store.entries()).toReversed(),
    rewind: (checkpointId, { dryRun }) =>
      withLock(`rewind of ${directory}`, async () => {
        const entries = await store.entries();
        const first = entries.findIndex(({ checkpoint, turn }) => turn !== null && checkpoint === checkpointId);
        if (first === -1) return null;
        const record = recordWrites({ store, turn: null, roots, named });
        return rewindFiles(entries.slice(first), { store, roots, located, record }, dryRun);
      }),
  };
}
