// Finds ripgrep, and says how every search walks a tree.
import { join } from 'node:path';
import { firstExecutable, late } from '../contract/index.ts';
import { globRegex } from './glob-regex.ts';

/** Where programs are looked up: nothing of the service's own environment reaches a search. */
const PROGRAM_PATH = '/usr/local/bin:/usr/bin:/bin';
export const SEARCH_ENV: Readonly<Record<string, string>> = { PATH: PROGRAM_PATH, LC_ALL: 'C' };

/** .gitignore counts in and out of a repository, hidden files count, links are not followed, and nothing else is configured. Files are not mapped: memory is bounded. */
export const WALK: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--no-ignore-messages',
  '--no-require-git',
  '--no-ignore-global',
  '--no-follow',
  '--no-mmap',
  '--hidden',
  '--color=never',
];

/** Comes after every other glob, because the last one that matches decides. */
export const NOT_GIT = '--glob=!.git';

/** Bounds on what a pattern may cost: bytes of the compiled pattern, and of the cache it matches with. */
export const PATTERN_LIMITS: readonly string[] = ['--regex-size-limit=10M', '--dfa-size-limit=50M'];

/** Prints the paths under an operand of the walk, each ended by NUL. One thread: what reads the paths is slower than the walk. */
export function listStage(rg: string, options: { operand: string; filters?: readonly string[] }): readonly string[] {
  return [rg, ...WALK, '--files', '--null', '--threads=1', ...(options.filters ?? []), NOT_GIT, '--', options.operand];
}

/** Lets those paths of a listing pass that match a glob as a whole. */
export function matchStage(rg: string, glob: string): readonly string[] {
  const regex = String.raw`\A\./(?:${globRegex(glob)})\z`;
  return [rg, '--no-config', '--null-data', '--no-line-number', '--color=never', ...PATTERN_LIMITS, `--regexp=${regex}`, '-'];
}

const ripgrep = late(findRipgrep);

/** Absolute path of ripgrep. @throws Error when it is neither installed with the service nor on the path */
export function ripgrepPath(): Promise<string> {
  return ripgrep.get();
}

async function findRipgrep(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    // The package throws where it has no binary for the platform; a ripgrep of the system's own does as well.
  }
  const installed = await firstExecutable(PROGRAM_PATH.split(':').map((directory) => join(directory, 'rg')));
  if (installed !== undefined) return installed;
  throw new Error('ripgrep is missing: install the service with its optional packages, or put rg into /usr/bin.');
}
