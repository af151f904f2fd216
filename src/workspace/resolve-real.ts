// Where a path leads once every link is followed, also when its end does not exist yet. What comes out is a first
// answer only: the file system may change the moment after, so the opener checks again what it holds.
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { hasCode } from './file-failure.ts';

/** Links that may lead to a missing end before the path counts as a loop. */
const MAX_LINKS = 40;

export interface RealPath {
  /** Absolute: where the path leads. */
  readonly path: string;
  /** Absolute real path of the deepest part that exists. */
  readonly existing: string;
  /** Names below it that do not exist; empty when the whole path does. */
  readonly missing: readonly string[];
}

/**
 * Follows all links of an absolute, normalised path, dangling ones included.
 * @throws the operating system's error when a part may not be searched, or links lead in a circle.
 */
export async function resolveReal(path: string, links = MAX_LINKS): Promise<RealPath> {
  try {
    const existing = await realpath(path);
    return { path: existing, existing, missing: [] };
  } catch (error) {
    if (path === '/' || links === 0 || !hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  const parent = await resolveReal(dirname(path), links);
  const name = basename(path);
  if (parent.missing.length === 0) {
    const target = await linkTarget(join(parent.existing, name));
    if (target !== null) return resolveReal(resolve(parent.existing, target), links - 1);
  }
  return { path: join(parent.path, name), existing: parent.existing, missing: [...parent.missing, name] };
}

/** Where a path leads. @throws as {@link resolveReal} */
export async function realPath(path: string): Promise<string> {
  return (await resolveReal(path)).path;
}

async function linkTarget(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EINVAL')) return null;
    throw error;
  }
}
