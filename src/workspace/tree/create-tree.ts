// The workspace of one session for its owner. Each method opens what it works on and closes it again: between calls
// nothing is held.
import { basename, dirname } from 'node:path';
import type { TreeEntry, WorkspaceTree } from '../../contract/index.ts';
import { FileError } from '../../contract/index.ts';
import { resolveInside } from '../confine.ts';
import { countBytes } from './count-bytes.ts';
import { entryOf, listPage, type Page } from './list.ts';
import { openTreeFile } from './open-file.ts';
import { packTree } from './pack.ts';
import { putFile } from './put-file.ts';
import { createQuota } from './quota.ts';
import { removePath } from './remove.ts';
import { openFolder, statName, type TreeContext, withPath } from './target.ts';
import { unpackTree } from './unpack.ts';

export interface TreeOptions {
  /** Absolute real path. */
  readonly workspace: string;
  /** Bytes that the workspace may hold. */
  readonly limit: number;
  /** Whether all that the workspace holds counts; otherwise the limit is on each upload. */
  readonly countsAll: boolean;
  /** Absolute paths of files of the service, which are neither shown nor changed wherever they are. */
  readonly secretFiles?: readonly string[];
}

/** Of all sessions of this process: several may work in one directory. */
const unfinished = new Set<string>();

/** Needs no closing. */
export function createWorkspaceTree({ workspace, limit, countsAll, secretFiles = [] }: TreeOptions): WorkspaceTree {
  const context: TreeContext = {
    workspace,
    roots: { read: [workspace], write: [workspace] },
    secretFiles,
    unfinished,
    quota: createQuota({ limit, count: countsAll ? () => countBytes(context) : null }),
  };
  return {
    look: (path) => withPath(context, path, (absolute) => look(context, absolute)),
    list: (path, page) => withPath(context, path, (absolute) => list(context, absolute, page)),
    open: (path) => withPath(context, path, (absolute) => openTreeFile(context, absolute)),
    put: (path, upload) => withPath(context, path, (absolute) => putFile(context, { path: absolute, upload })),
    remove: (path, options = {}) => withPath(context, path, (absolute) => removePath(context, absolute, options)),
    pack: () => packTree(context),
    unpack: (upload) => withPath(context, '', () => unpackTree(context, upload)),
  };
}

async function look({ workspace, roots }: TreeContext, path: string): Promise<TreeEntry> {
  const { existing, missing } = await resolveInside(path, roots, 'read');
  if (missing.length > 0) throw new FileError('not_found', `${path} does not exist.`);
  // The parent of the workspace is not for sessions.
  const [folder, name] = existing === workspace ? [workspace, '.'] : [dirname(existing), basename(existing)];
  using directory = await openFolder({ path: folder, roots });
  const stats = await statName(directory, name);
  if (stats === null) throw new FileError('not_found', `${path} does not exist.`);
  return entryOf(basename(path), stats);
}

async function list({ roots }: TreeContext, path: string, page: Page): ReturnType<WorkspaceTree['list']> {
  using directory = await openFolder({ path, roots });
  return await listPage(directory, page);
}
