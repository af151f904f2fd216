// Removals that nothing but a person allows: of the root, the home directory, and the directories that a session works in.
import type { CommandWord } from '../contract/index.ts';
import { isWithin } from '../contract/index.ts';
import { placeOf, type RealPath, type Scope } from './place.ts';
import type { Program } from './read-programs.ts';
import type { TouchedCommand } from './touched-command.ts';

const REMOVERS = new Set(['rm', 'rmdir']);
const RECURSIVE = /^(-[a-zA-Z]*[rR][a-zA-Z]*|--r.*)$/;
/** A name of wildcards alone, so that it stands for all there is. */
const ALL_OF_IT = /^[*?.]*[*?][*?.]*$|^\.?\[[!^].*\]\*?$/;

/** Whether the line may remove one of those, or what it removes in whole is not known. */
export async function isCriticalRemoval(line: TouchedCommand, scope: Scope, realPath: RealPath): Promise<boolean> {
  for (const { programs } of line.parts) {
    for (const program of programs) {
      if (REMOVERS.has(program.words[0]?.value ?? '') && (await removesCritical(program, { line, scope, realPath }))) return true;
    }
  }
  return false;
}

interface Where {
  readonly line: TouchedCommand;
  readonly scope: Scope;
  readonly realPath: RealPath;
}

async function removesCritical({ words, open }: Program, where: Where): Promise<boolean> {
  const recursive = words.some(({ value }) => value !== null && RECURSIVE.test(value));
  if (recursive && open) return true;
  for (const word of words.slice(1)) {
    const paths = targets(word);
    if (paths === null ? recursive : await anyCritical(paths, recursive, where)) return true;
  }
  return false;
}

/** Directories that go with the word; `null` when only the shell knows. */
function targets({ value, pattern }: CommandWord): readonly string[] | null {
  if (value !== null) return value.startsWith('-') ? [] : [value];
  if (pattern === undefined) return null;
  const names = pattern.split('/');
  const first = names.findIndex((name) => /(?<!\\)[*?[]/.test(name));
  // What a wildcard leads to, and all of it, go with the directory in front.
  const rest = names.slice(first).filter((name) => name !== '');
  if (!rest.every((name) => ALL_OF_IT.test(name) || name === '..' || name === '.')) return [];
  const directory = names.slice(0, first).join('/').replace(/\\(.)/g, '$1');
  return [first === 0 ? '.' : directory || '/'];
}

async function anyCritical(paths: readonly string[], recursive: boolean, { line, scope, realPath }: Where): Promise<boolean> {
  for (const path of paths) {
    // The directory that this is in is not known.
    if (recursive && line.moves === 'unknown' && /^\.{1,2}(\/|$)/.test(path)) return true;
    for (const candidate of startsOf(path, line, scope)) {
      const { shown, real } = await placeOf(candidate, realPath);
      if (isCritical(shown, scope) || (real !== null && isCritical(real, scope))) return true;
    }
  }
  return false;
}

function startsOf(path: string, { directories }: TouchedCommand, { home }: Scope): readonly string[] {
  if (path === '~' || path.startsWith('~/')) return [home + path.slice(1)];
  return path.startsWith('/') ? [path] : directories.map((directory) => `${directory}/${path}`);
}

/** The directories themselves, and all that they lie in. */
function isCritical(path: string, { home, workspace, writable }: Scope): boolean {
  return ['/', home, workspace, ...writable].some((kept) => isWithin(path, kept));
}
