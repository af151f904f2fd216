// The programs of one search. A glob that asks for more than a name needs three: one lists what .gitignore lets through, one
// keeps the paths that match, one searches those.
import { nameFilter } from '../../src/search/name-filter.ts';
import { listStage, matchStage, NOT_GIT, PATTERN_LIMITS, WALK } from '../../src/search/ripgrep.ts';
import type { Stage } from '../../src/search/run-search.ts';
import type { GrepInput } from './input.ts';
import { CONTEXT_BREAK } from './printed-lines.ts';

/** A directory as a whole. */
const WHOLE = './';
/** Characters of a line that are shown; of a longer one comes the beginning. */
const MAX_COLUMNS = 500;

export interface SearchPlan {
  /** Absolute path of ripgrep. */
  readonly rg: string;
  /** What to search: `./`, or `./name` for one file. */
  readonly operand: string;
  /** Arguments that put ripgrep's output into an order. */
  readonly sort: readonly string[];
}

export function searchStages(input: GrepInput, { rg, operand, sort }: SearchPlan): readonly [Stage, ...Stage[]] {
  const { glob, type, pattern } = input;
  const isExcluding = glob?.startsWith('!') === true;
  const filters = [...sort, ...(type ? [`--type=${type}`] : []), ...(glob && isExcluding ? [`--glob=${glob}`] : [])];
  const search = [rg, ...WALK, ...PATTERN_LIMITS, '--null', '--crlf', ...modeArguments(input)];
  if (!glob || isExcluding) return [[...search, ...filters, NOT_GIT, `--regexp=${pattern}`, '--', operand]];
  const path = wholeGlob(glob);
  // Languages and names would add up, and a file that is named is walked to whatever its name.
  const names = type === undefined && operand === WHOLE ? nameFilter(path) : null;
  if (names !== null) return [[...search, ...sort, ...names, '--binary', NOT_GIT, `--regexp=${pattern}`, '--', operand]];
  return [
    listStage(rg, { operand, filters }),
    matchStage(rg, path),
    ['xargs', '-0', '-r', ...search, ...sort, `--regexp=${pattern}`, '--'],
  ];
}

function modeArguments(input: GrepInput): string[] {
  const shared = [...(input['-i'] ? ['--ignore-case'] : []), ...(input.multiline ? ['--multiline', '--multiline-dotall'] : [])];
  if (input.output_mode === 'files_with_matches') return [...shared, '--files-with-matches'];
  if (input.output_mode === 'count') return [...shared, '--count', '--with-filename'];
  return [
    ...shared,
    '--no-heading',
    '--with-filename',
    '--line-number',
    `--max-columns=${MAX_COLUMNS}`,
    '--max-columns-preview',
    `--context-separator=${CONTEXT_BREAK}`,
    `--before-context=${input['-B'] ?? input['-C'] ?? 0}`,
    `--after-context=${input['-A'] ?? input['-C'] ?? 0}`,
  ];
}

/** The glob for a whole path under the searched directory: a name alone counts at any depth, a trailing slash means all beneath. */
function wholeGlob(glob: string): string {
  if (!glob.includes('/')) return `**/${glob}`;
  return glob.replace(/^(?:\.?\/)+/, '').replace(/\/$/, '/**');
}
