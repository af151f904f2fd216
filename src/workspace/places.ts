// Where sessions live on disk: an ephemeral workspace of its own or a directory under the operator's roots, and its outputs.
import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { Problem } from '../contract/index.ts';
import { createOutputFiles } from './output-files.ts';
import { createSessionFiles } from './session-files.ts';

export interface PlaceRequest {
  readonly id: string;
  /** Absolute path that the client asked for; `undefined` for a directory of the session's own. */
  readonly path: string | undefined;
  readonly additionalDirs: readonly string[];
}

/** @returns a function that opens or makes the directories of a session; it throws Problem `forbidden` or `invalid-request` */
export function createPlaces({ dataDir, roots }: { dataDir: string; roots: readonly string[] }) {
  return async (request: PlaceRequest) => {
    const own = join(dataDir, 'sessions', request.id);
    const ephemeral = request.path === undefined;
    const workspace = ephemeral ? await ownDirectory(join(own, 'workspace')) : await underRoots(request.path, roots);
    const additional = await Promise.all(request.additionalDirs.map((path) => underRoots(path, roots)));
    const outputs = await ownDirectory(join(own, 'outputs'));
    return {
      workspace,
      ephemeral,
      files: createSessionFiles({ workspace, readableRoots: [outputs], writableRoots: additional }),
      outputs: createOutputFiles(outputs),
    };
  };
}

async function ownDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return realpath(path);
}

async function underRoots(path: string | undefined, roots: readonly string[]): Promise<string> {
  if (path === undefined || !isAbsolute(path) || path.includes('\0')) {
    throw new Problem('invalid-request', 'A directory must be an absolute path.', {
      issues: [{ path: 'workspace.path', message: 'must be absolute' }],
    });
  }
  const refused = new Problem(
    'forbidden',
    'The directory does not lie under one of the workspace roots of this service (TOOLEXEC_WORKSPACE_ROOTS).',
  );
  const real = await realpath(path).catch(() => null);
  // A path outside the roots is refused alike whether it exists or not, so that the answer tells nothing about it.
  if (real === null) throw refused;
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => null)));
  if (!realRoots.some((root) => root !== null && contains(root, real))) throw refused;
  if (!(await stat(real)).isDirectory()) throw new Problem('invalid-request', `${path} is not a directory.`);
  return real;
}

function contains(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/** @returns a function that removes what is a session's own on disk */
export function removePlaceUnder(dataDir: string): (sessionId: string) => Promise<void> {
  return (sessionId) => rm(join(dataDir, 'sessions', sessionId), { recursive: true, force: true });
}
