// Programs that walk a tree look at a name twice: what it is, and what is in it. A name that becomes a link in between
// leads them out of the tree. So what they found counts only where no name on its path was given anew while they ran:
// neither did an entry of the directory change, or else that entry itself is as old as before, since the kernel notes both.
import { lstat } from 'node:fs/promises';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldDirectory } from './held-directory.ts';

/** Milliseconds by which times of a file system may lag behind the clock. */
const LAG_MS = 12;
const ATTEMPTS = 3;
/** Milliseconds of searching after which there is no further attempt. */
const PATIENCE_MS = 5_000;

export interface Settled<Found> {
  readonly found: Found;
  /** Paths that may have led elsewhere: nothing of them may be shown. */
  readonly unsettled: ReadonlySet<string>;
}

/**
 * Searches, and once more where something changed meanwhile (or just before, such as by a file that was written).
 * @param request `paths` are those of what was found, as the walk from `./` prints them
 */
export async function searchSettled<Found>(
  directory: HeldDirectory,
  request: { search: () => Promise<Found>; paths: (found: Found) => readonly string[] },
): Promise<Settled<Found>> {
  const begun = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    const since = Date.now() - LAG_MS;
    const found = await request.search();
    const unsettled = await unsettledPaths(directory, request.paths(found), since);
    if (unsettled.size === 0 || attempt === ATTEMPTS || Date.now() - begun > PATIENCE_MS) return { found, unsettled };
    await sleep(LAG_MS);
  }
}

/** Tells the model of files that are not shown; no line where there are none. */
export function leftOutNote(count: number): string[] {
  if (count === 0) return [];
  return [
    `(${count === 1 ? '1 file is' : `${count} files are`} left out: directories changed during the search. Search again to see all.)`,
  ];
}

/** The paths on which a name may have been given anew since then, in milliseconds since 1970. */
async function unsettledPaths({ entrance }: HeldDirectory, paths: readonly string[], since: number): Promise<ReadonlySet<string>> {
  const folders = [...new Set(paths.flatMap(foldersOf))];
  const look = (names: readonly string[]) => standings(names, { entrance, since });
  if ([...(await look(folders)).values()].every((standing) => standing === 'still')) return new Set();
  // Upwards: a link that is there while what is below it is looked at shows when its own turn comes.
  const standing = new Map([...(await look(paths)), ...(await look(folders))]);
  const isMoved = (name: string): boolean =>
    name !== '.' && standing.get(name) !== 'still' && (standing.get(name) === 'gone' || standing.get(posix.dirname(name)) !== 'still');
  const moved = new Set(folders.filter(isMoved));
  return new Set(paths.filter((path) => isMoved(path) || foldersOf(path).some((folder) => moved.has(folder))));
}

/** `./a/b/c` lies in `./a/b`, in `./a` and in `.`. */
function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [folder] : [folder, ...foldersOf(folder)];
}

/** `still`: unchanged since then. `gone`: not there, or neither file nor directory. */
type Standing = 'still' | 'stirred' | 'gone';

/** The deepest names are looked at first. */
async function standings(names: readonly string[], from: { entrance: string; since: number }): Promise<Map<string, Standing>> {
  const levels = Map.groupBy(names, (name) => name.split('/').length);
  const known = new Map<string, Standing>();
  for (const [, level] of [...levels].toSorted(([left], [right]) => right - left)) {
    const found = await Promise.all(level.map((name) => standingOf(`${from.entrance}/${name}`, from.since)));
    for (const [index, standing] of found.entries()) known.set(level[index] ?? '', standing);
  }
  return known;
}

async function standingOf(path: string, since: number): Promise<Standing> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() && !stats.isDirectory()) return 'gone';
    return stats.ctimeMs < since ? 'still' : 'stirred';
  } catch {
    // Whatever is the matter with it, it is not what the search saw.
    return 'gone';
  }
}
