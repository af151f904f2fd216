// Newest first, at little cost: reading the time of each file in this process takes six times as long as the walk itself,
// ripgrep's own sorting gives up its threads, while find reads names from a pipe and keeps up with the walk.
import type { SearchContext, SearchRequest, SearchRun, Stage } from './run-search.ts';
import { runSearch } from './run-search.ts';

export interface NewestRequest extends Omit<SearchRequest, 'stages'> {
  /** Stages that print paths, each ended by NUL. `sort` are further arguments of the ripgrep that walks. */
  readonly stages: (sort: readonly string[]) => readonly [Stage, ...Stage[]];
  /** How many paths to give back at most. */
  readonly count: number;
}

export type NewestRun = Exclude<SearchRun, { ok: true }> | { readonly ok: true; readonly paths: string[] };

/** Paths as the stages print them, newest first, and by name where times are equal. */
export async function newestFirst(request: NewestRequest, context: SearchContext): Promise<NewestRun> {
  const { stages, count, ...rest } = request;
  const timed: Stage[] = [
    ['find', '-files0-from', '-', '-maxdepth', '0', '-printf', String.raw`%22T@\t%p\0`],
    ['sort', '-z', '-t', '\t', '-k1,1r', '-k2'],
    ['head', '-z', '-n', String(count)],
  ];
  const run = await runSearch({ ...rest, stages: [...stages([]), ...timed] }, context);
  if (run.ok) return { ok: true, paths: splitPaths(run.stdout).map((row) => row.slice(row.indexOf('\t') + 1)) };
  if (!run.stderr.includes('-files0-from')) return run;
  // A find that cannot read names from a pipe: ripgrep sorts, on one thread.
  const sorted = await runSearch({ ...rest, stages: stages(['--sortr=modified']) }, context);
  return sorted.ok ? { ok: true, paths: splitPaths(sorted.stdout).slice(0, count) } : sorted;
}

function splitPaths(stdout: string): string[] {
  return stdout.split('\0').slice(0, -1);
}
