// Where sessions live on disk: an ephemeral workspace of its own or a directory under the operator's roots, and its outputs.
import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { isWithin, Problem } from '../contract/index.ts';
import { createFileHistory } from './history/file-history.ts';
import { createOutputFiles } from './output-files.ts';
import { resolveReal } from './resolve-real.ts';
import { createSessionFiles } from './session-files.ts';
import { createWorkspaceTree } from './tree/create-tree.ts';
import { removeTree } from './tree/empty-directory.ts';

export interface PlaceRequest {
  readonly id: string;
  /** Absolute path that the client asked for; `undefined` for a directory of the session's own. */
  readonly path: string | undefined;
  readonly additionalDirs: readonly string[];
  /** The session whose own directory this one works in too, where it has no path. */
  readonly sharedWith?: string;
}

export interface PlacesOptions {
  readonly dataDir: string;
  readonly roots: readonly string[];
  /** Absolute paths of further directories that every session may read. */
  readonly readable?: readonly string[];
  /** Bytes that a session's own workspace may hold, and one upload into any other. */
  readonly workspaceBytes?: number;
  /** Absolute paths of files of the service, which sessions neither see nor change wherever they lie. */
  readonly secretFiles?: readonly string[];
}

const DEFAULT_WORKSPACE_BYTES = 8 * 1024 ** 3;

/** @returns a function that opens or makes the directories of a session; it throws Problem `forbidden` or `invalid-request` */
export function createPlaces(options: PlacesOptions) {
  const { dataDir, roots, readable = [], workspaceBytes = DEFAULT_WORKSPACE_BYTES, secretFiles = [] } = options;
  return async (request: PlaceRequest) => {
    const own = join(dataDir, 'sessions', request.id);
    const [real, shared, data] = await Promise.all([realRoots(roots), realRoots(readable), realpath(dataDir).catch(() => made(dataDir))]);
    const given = request.path === undefined ? undefined : apart(await underRoots(request.path, real, 'workspace.path'), data);
    const additional = await Promise.all(
      request.additionalDirs.map(async (path, index) => apart(await underRoots(path, real, `permissions.additional_dirs[${index}]`), data)),
    );
    // Only now: a request that is refused leaves nothing behind.
    const [outputs, workspace] = await Promise.all([
      ownDirectory(data, request.id, 'outputs'),
      given ?? ownDirectory(data, request.sharedWith ?? request.id, 'workspace'),
    ]);
    const writableRoots = [workspace, ...additional];
    const readableRoots = [...writableRoots, outputs, ...shared];
    // Who works in another session's workspace writes for that session's turns.
    const history = join(dataDir, 'sessions', request.sharedWith ?? request.id, 'history');
    return {
      workspace,
      ephemeral: request.path === undefined,
      writableRoots,
      readableRoots,
      files: createSessionFiles({ workspace, readableRoots: [outputs, ...shared], writableRoots: additional }),
      history: createFileHistory({ directory: history, workspace, writableRoots, readableRoots }),
      tree: createWorkspaceTree({ workspace, limit: workspaceBytes, countsAll: request.path === undefined, secretFiles }),
      outputs: createOutputFiles(outputs),
      home: join(outputs, 'home'),
      temp: join(own, 'tmp'),
    };
  };
}

/** The data directory holds the files of other sessions: no session gets it, a part of it, or what it lies in. @throws Problem `forbidden` */
function apart(path: string, dataDir: string): string {
  if (!isWithin(path, dataDir) && !isWithin(dataDir, path)) return path;
  throw new Problem('forbidden', 'The directory holds data of the service, or lies in it: choose another.');
}

/** The real path of a directory that is made where it is not there. */
async function made(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  return realpath(path);
}

/** @param data real path of the data directory. @throws Problem `forbidden` when a command of the session has put a link in its place */
async function ownDirectory(data: string, sessionId: string, name: string): Promise<string> {
  const path = join(data, 'sessions', sessionId, name);
  const real = await made(path);
  if (real === path) return real;
  throw new Problem('forbidden', `The ${name} directory of the session was replaced by a link: make a new session.`);
}

async function realRoots(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => [])));
  return real.flat();
}

/** @param option what errors name as the reason. @throws Problem `forbidden` or `invalid-request` */
async function underRoots(path: string, roots: readonly string[], option: string): Promise<string> {
  const invalid = (message: string) => new Problem('invalid-request', `${option} ${message}.`, { issues: [{ path: option, message }] });
  if (!isAbsolute(path) || path.includes('\0')) throw invalid('must be an absolute path');
  const real = await resolveReal(normalize(path)).catch(() => null);
  // A path that leads out of the roots is refused alike whether it exists or not, so that the answer tells nothing about it.
  if (real === null || !roots.some((root) => isWithin(root, real.path))) {
    const none =
      roots.length === 0
        ? ' There are none: start it with TOOLEXEC_WORKSPACE_ROOTS=/directory, or leave the path out for a fresh directory.'
        : '';
    throw new Problem(
      'forbidden',
      `${option} does not lie under one of the workspace roots of this service (TOOLEXEC_WORKSPACE_ROOTS).${none}`,
    );
  }
  if (real.missing.length > 0) throw invalid('does not exist: make the directory first');
  if (!(await stat(real.existing)).isDirectory()) throw invalid('is not a directory');
  return real.existing;
}

/** @returns a function that removes what is a session's own on disk */
export function removePlaceUnder(dataDir: string): (sessionId: string) => Promise<void> {
  return async (sessionId) => {
    const own = join(dataDir, 'sessions', sessionId);
    // Most have left nothing behind, and what is empty goes without a walk through it.
    await Promise.allSettled(['outputs', 'workspace'].map((name) => rmdir(join(own, name))));
    await rmdir(own).catch(() => removeTree(own));
  };
}
