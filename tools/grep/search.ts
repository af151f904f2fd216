// One search in one of three modes: paths come newest first, lines and counts in path order.
import type { CallContext, ToolResult } from '../../src/contract/index.ts';
import type { HeldDirectory } from '../../src/search/held-directory.ts';
import { newestFirst } from '../../src/search/newest-first.ts';
import { ripgrepPath } from '../../src/search/ripgrep.ts';
import type { SearchRun, Stage } from '../../src/search/run-search.ts';
import { runSearch } from '../../src/search/run-search.ts';
import { searchSettled } from '../../src/search/settled.ts';
import { showPath } from '../../src/workspace/content/show-path.ts';
import type { GrepOutput } from './answer.ts';
import { answer, pageSize } from './answer.ts';
import { explainPattern } from './explain.ts';
import type { GrepInput } from './input.ts';
import { contentLines, countsByPath, type PrintedFile, printedFiles } from './printed-lines.ts';
import { searchStages } from './stages.ts';

/** Bytes of printed lines, and of paths, that one answer is cut from. */
const MAX_PRINTED_BYTES = 1_000_000;
const MAX_PATH_BYTES = 8_000_000;

/** What to search: a directory, and in it `./` or `./name` for one file. */
export interface SearchPlace {
  readonly directory: HeldDirectory;
  readonly operand: string;
}

interface Search extends SearchPlace {
  readonly input: GrepInput;
  readonly context: CallContext;
  /** How a path that ripgrep printed is shown. */
  readonly show: (path: string) => string;
  readonly stages: (sort: readonly string[]) => readonly [Stage, ...Stage[]];
}

export async function search(input: GrepInput, place: SearchPlace, context: CallContext): Promise<ToolResult<GrepOutput>> {
  const rg = await ripgrepPath();
  const whole: Search = {
    ...place,
    input,
    context,
    show: (path) => showPath(path, { directory: place.directory.path, cwd: context.state.cwd }),
    stages: (sort) => searchStages(input, { rg, operand: place.operand, sort }),
  };
  return input.output_mode === 'files_with_matches' ? searchFiles(whole) : searchLines(whole);
}

async function searchFiles({ input, context, directory, stages, show }: Search): Promise<ToolResult<GrepOutput>> {
  const count = input.offset + pageSize(input) + 1;
  const { found, unsettled } = await searchSettled(directory, {
    search: () => newestFirst({ directory, stages, count, maxOutputBytes: MAX_PATH_BYTES }, context),
    paths: (run) => (run.ok ? run.paths : []),
  });
  if (!found.ok) return explained(found);
  const lines = found.paths.filter((path) => !unsettled.has(path)).map(show);
  return answer(input, { lines, isWhole: found.paths.length < count, leftOut: unsettled.size });
}

async function searchLines(whole: Search): Promise<ToolResult<GrepOutput>> {
  const { input, show } = whole;
  const { found, unsettled } = await searchSettled(whole.directory, {
    search: () => printedInPathOrder(whole),
    paths: (printed) => (printed.ok ? printed.files.map(([path]) => path) : []),
  });
  if (!found.ok) return explained(found);
  const { isWhole } = found;
  const files = found.files.filter(([path]) => !unsettled.has(path));
  const leftOut = unsettled.size;
  if (input.output_mode === 'content') {
    const withContext = [input['-A'], input['-B'], input['-C']].some((lines) => lines);
    return answer(input, { lines: contentLines(files, { show, lineNumbers: input['-n'], withContext }), isWhole, leftOut });
  }
  const counts = countsByPath(files);
  const matches = counts.reduce((sum, { count }) => sum + count, 0);
  const summary = `Matching lines: ${matches}. Files: ${counts.length}.${isWhole ? '' : ' There are more of both.'}`;
  return answer(input, { lines: counts.map(({ path, count }) => `${show(path)}:${count}`), isWhole, summary, leftOut });
}

function explained({ result, stderr }: Exclude<SearchRun, { ok: true }>): ToolResult<GrepOutput> {
  const content = result.timedOut === true ? null : explainPattern(stderr);
  return content === null ? result : { ...result, content };
}

type Printed = Exclude<SearchRun, { ok: true }> | { readonly ok: true; readonly files: readonly PrintedFile[]; readonly isWhole: boolean };

async function printedInPathOrder(whole: Search): Promise<Printed> {
  const run = await inPathOrder(whole);
  return run.ok ? { ok: true, files: printedFiles(run.stdout), isWhole: !run.truncated } : run;
}

/**
 * At first all threads search, and what they print is sorted here. Where that is more than is kept, what was kept is an
 * accident of timing: then one thread searches in path order, and stops as soon as enough is there.
 */
async function inPathOrder({ context, directory, stages }: Search): Promise<SearchRun> {
  const request = { directory, maxOutputBytes: MAX_PRINTED_BYTES };
  const run = await runSearch({ ...request, stages: stages([]) }, context);
  if (!run.ok || !run.truncated) return run;
  return runSearch({ ...request, stages: stages(['--sort=path']) }, context);
}
