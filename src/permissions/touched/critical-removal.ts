// Removals that nothing but a person allows: of the root, the home directory, and the directories that a session works in.
import { isWithin } from '../../contract/index.ts';
import { placeOf, type RealPath, type Scope } from '../paths/place.ts';
import { removalBy, type Removal } from './removal.ts';
import type { TouchedCommand } from './touched-command.ts';

/** Whether the line may remove one of those, or what it removes in whole is not known. */
export async function isCriticalRemoval(line: TouchedCommand, scope: Scope, realPath: RealPath): Promise<boolean> {
  for (const { programs } of line.parts) {
    for (const program of programs) {
      const removal = removalBy(program);
      if (removal !== null && (await isCriticalFor(removal, { line, scope, realPath }))) return true;
    }
  }
  return false;
}

interface Where {
  readonly line: TouchedCommand;
  readonly scope: Scope;
  readonly realPath: RealPath;
}

async function isCriticalFor({ recursive, unknown, paths }: Removal, where: Where): Promise<boolean> {
  return (recursive && unknown) || anyCritical(paths, recursive, where);
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
