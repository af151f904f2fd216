// Protected files as a sandbox holds them. Not all of `.git`, which git must write: what names programs, or leads elsewhere.
import { lstat, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OTHER_NAMES, PROJECT_NAMES } from './protected-path.ts';

/** Held also when missing. `commondir` would lead git to the settings of another directory. */
const IN_REPOSITORY = ['hooks', 'config', 'commondir'];
const IN_WORKTREE = ['commondir', 'gitdir'];
/** More settings, which git reads only where others say so. */
const MORE_SETTINGS = 'config.worktree';

/**
 * @param roots directories that a session writes in
 * @param repositories every `.git` that is held
 * @param missing whether what is not there is kept from being made
 */
export async function heldPaths(roots: readonly string[], repositories: readonly string[], missing = true): Promise<readonly string[]> {
  const always = missing ? roots.flatMap((root) => ['.git/hooks', '.git/config', ...PROJECT_NAMES].map((name) => join(root, name))) : [];
  const there = await Promise.all(
    roots.flatMap((root) => OTHER_NAMES.map(async (name) => ((await kindOf(join(root, name))) === 'other' ? [] : [join(root, name)]))),
  );
  const held = await Promise.all(repositories.map(inRepository));
  return [...new Set([...always, ...there.flat(), ...held.flat()])];
}

async function inRepository(path: string): Promise<readonly string[]> {
  const kind = await kindOf(path);
  // A file leads to where the repository is.
  if (kind === 'file') return [path];
  if (kind === 'other') return [];
  const names = basename(dirname(path)) === 'worktrees' ? IN_WORKTREE : IN_REPOSITORY;
  return [...names, ...((await hasMoreSettings(path)) ? [MORE_SETTINGS] : [])].map((name) => join(path, name));
}

/** Who cannot write the settings cannot have more of them read either. */
async function hasMoreSettings(repository: string): Promise<boolean> {
  if ((await kindOf(join(repository, MORE_SETTINGS))) !== 'other') return true;
  try {
    return /worktreeconfig/i.test(await readFile(join(repository, 'config'), 'utf8'));
  } catch {
    // Without settings there is nothing that could say so.
    return false;
  }
}

async function kindOf(path: string): Promise<'file' | 'directory' | 'other'> {
  try {
    const stats = await lstat(path);
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  } catch {
    // Missing, or nothing that could be held.
    return 'other';
  }
}
