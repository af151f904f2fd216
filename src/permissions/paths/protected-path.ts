// Files that decide what runs later, or that this service itself goes by. Nothing writes them without being asked for.
import { isWithin } from '../../contract/index.ts';
import type { Place, Scope } from './place.ts';

/** Files, and directories with all that is in them, that programs look for in every project. */
export const PROJECT_NAMES: readonly string[] = '.toolexec .claude .vscode .idea .husky .mcp.json'.split(' ');
/** More of them, which matter where they are. */
export const OTHER_NAMES: readonly string[] = [
  '.ssh .gitconfig .gitmodules .ripgreprc .envrc .netrc',
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc',
  '.zshrc .zprofile .zshenv .zlogin .zlogout .kshrc .cshrc .tcshrc',
].flatMap((names) => names.split(' '));

const NAMES = new Set(['.git', ...PROJECT_NAMES, ...OTHER_NAMES]);

/** Whether writing there must be asked for. Names count in any case, for file systems that do not tell cases apart. */
export function isProtected({ shown, real }: Place, scope: Scope): boolean {
  return [shown, ...(real === null ? [] : [real])].some((path) => isProtectedPath(path, scope));
}

function isProtectedPath(path: string, { writable, dataDir }: Scope): boolean {
  // A workspace may itself lie in such a directory: only what is below it counts.
  const root = writable.filter((each) => isWithin(each, path)).toSorted((one, other) => other.length - one.length)[0];
  if (root === undefined && isWithin(dataDir, path)) return true;
  return path
    .slice(root?.length ?? 0)
    .split('/')
    .some((name) => NAMES.has(name.toLowerCase()));
}
