import type { CallContext, ToolResult } from '../../src/contract/index.ts';
import { newestFirst } from '../../src/toolbox/search/newest-first.ts';
import { ripgrepPath } from '../../src/toolbox/search/ripgrep.ts';
import type { SearchRun } from '../../src/toolbox/search/run-search.ts';
import { runSearch } from '../../src/toolbox/search/run-search.ts';
import { showPath } from '../../src/toolbox/search/show-path.ts';
import type { GrepInput } from './input.ts';
import { MAX_HEAD_LIMIT } from './input.ts';
import { contentLines, countsByPath } from './printed-lines.ts';
import { searchStages } from './stages.ts';

/** Bytes of printed lines that one answer is cut from. */
const MAX_PRINTED_BYTES = 1_000_000;
/** Bytes of paths that one answer is cut from. */
const MAX_PATH_BYTES = 8_000_000;

export interface SearchPlace {
  /** Absolute real path. */
  readonly directory: string;
  readonly operand: string;
}

export interface GrepOutput {
  /** Paths, `path:count`, or lines of content, as the model gets them. */
  lines: string[];
  truncated: boolean;
}

/** Entries of an answer. `isWhole` is false when there were more than could be kept. */
interface Found {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
  /** What the answer begins with, if anything. */
  readonly summary?: string;
}

export async function search(input: GrepInput, place: SearchPlace, context: CallContext): Promise<ToolResult<GrepOutput>> {
  const rg = await ripgrepPath();
  const show = (path: string): string => showPath(path, { directory: place.directory, cwd: context.state.cwd });
  const limit = input.head_limit || MAX_HEAD_LIMIT;
  const stages = (sort: readonly string[]): ReturnType<typeof searchStages> => searchStages(input, { rg, operand: place.operand, sort });
  if (input.output_mode === 'files_with_matches') {
    const count = input.offset + limit + 1;
    const run = await newestFirst({ directory: place.directory, stages, count, maxOutputBytes: MAX_PATH_BYTES }, context);
    return run.ok ? answer(input, { lines: run.paths.map(show), isWhole: run.paths.length < count }) : run.result;
  }
  const run = await inPathOrder({ directory: place.directory, stages }, context);
  if (!run.ok) return run.result;
  if (input.output_mode === 'content') {
    const withContext = [input['-A'], input['-B'], input['-C']].some((lines) => lines);
    const lines = contentLines(run.stdout, { show, lineNumbers: input['-n'], withContext });
    return answer(input, { lines, isWhole: !run.truncated });
  }
  const counts = countsByPath(run.stdout);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const summary = `${run.truncated ? 'More than ' : ''}${total} matching lines in ${counts.length} files`;
  return answer(input, { lines: counts.map(({ path, count }) => `${show(path)}:${count}`), isWhole: !run.truncated, summary });
}

/**
 * All threads search at first, and their output is sorted here. When that is more than is kept, what was kept is an accident
 * of timing: one thread then searches in path order, and stops as soon as enough is there.
 */
async function inPathOrder(
  { directory, stages }: SearchPlace_, context: CallContext): Promise<SearchRun> {
}
