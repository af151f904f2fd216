import { resolve } from 'node:path';
import { z } from 'zod';
import type { CallContext, PermissionContext, SessionFiles, ToolResult } from '../../src/contract/index.ts';
import { buildTool, descriptionOf, ONLY_READS, FileError } from '../../src/contract/index.ts';
import { directoryHint } from '../../src/search/directory-glob.ts';
import { globFault } from '../../src/search/glob-fault.ts';
import { type HeldDirectory, holdDirectory } from '../../src/search/held-directory.ts';
import { searchedPaths } from '../../src/search/ignore-files.ts';
import { nameFilter } from '../../src/search/name-filter.ts';
import { newestFirst, type NewestRun } from '../../src/search/newest-first.ts';
import { listStage, matchStage, ripgrepPath } from '../../src/search/ripgrep.ts';
import { SEARCH_TIMEOUT_MS, type Stage } from '../../src/search/run-search.ts';
import { leftOutNote, searchSettled } from '../../src/search/settled.ts';
import { shownPath, showPath } from '../../src/workspace/content/show-path.ts';
import type { GlobTarget } from '../../src/search/split-glob.ts';
import { splitGlob } from '../../src/search/split-glob.ts';
import { speakOf } from '../../src/workspace/content/speak-of.ts';

/** Files that one call lists. */
const MAX_FILES = 100;
/** Bytes of listing that are read: more than that many paths of the greatest length. */
const MAX_OUTPUT_BYTES = 1_000_000;

const inputSchema = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('Glob that the paths of files must match, such as "src/**/*.ts" or "*.md".'),
  path: z.string().min(1).max(4_096).optional().describe('Directory to look in. Leave it out for the working directory.'),
});
type Input = z.output<typeof inputSchema>;

interface Output {
  /** As shown: relative to the working directory when inside it. */
  files: string[];
  truncated: boolean;
}

export default buildTool<typeof inputSchema, Output>({
  name: 'Glob',
  searchHint: 'find files by name pattern',
  inputSchema,
  description: descriptionOf(import.meta.url),
  ...ONLY_READS,
  timeoutMs: SEARCH_TIMEOUT_MS + 10_000,
  validateInput: ({ pattern, path = '' }) => {
    if (`${pattern}${path}`.includes('\0')) return { ok: false, message: 'The pattern and the path must not hold a NUL character.' };
    const fault = globFault(pattern);
    if (fault !== null) return { ok: false, message: fault };
    if (splitGlob(pattern, '/')) return { ok: true };
    return { ok: false, message: 'Write ".." only in front of the first wildcard of the pattern, or use path.' };
  },
  footprint: (input, context) => ({ reads: searchedPaths(targetOf(input, context).directory) }),
  permissionSubjects: (input, context) => [{ kind: 'path', access: 'read', path: targetOf(input, context).directory }],
  backfillObservableInput: (input, context) => ({ ...input, path: baseOf(input, context) }),
  call: findFiles,
  renderUse: ({ pattern, path }) => ({ title: 'Glob', subtitle: path ? `${pattern} in ${path}` : pattern }),
  renderResult: ({ pattern }, { output }) => ({
    title: 'Glob',
    subtitle: `${pattern} (${output?.files.length ?? 0}${output?.truncated ? '+' : ''})`,
    body: { kind: 'list', items: output?.files ?? [] },
    collapsed: true,
  }),
  renderGroup: (inputs) => ({ title: 'Glob', subtitle: inputs.map((input) => input.pattern).join(', '), collapsed: true }),
});

function baseOf(input: { path?: string | undefined }, context: PermissionContext): string {
  return resolve(context.state.cwd, input.path ?? '.');
}

function targetOf(input: Input, context: PermissionContext): GlobTarget {
  const base = baseOf(input, context);
  return splitGlob(input.pattern, base) ?? { directory: base, glob: input.pattern };
}

async function findFiles(input: Input, context: CallContext): Promise<ToolResult<Output>> {
  const { glob, directory } = targetOf(input, context);
  const base = baseOf(input, context);
  const root = await confineDirectory({ directory, base }, context);
  if (!root) return nothingFound();
  await using held = await holdDirectory(root);
  const { found, unsettled } = await searchSettled(held, {
    search: () => listNewest(held, { glob, context }),
    paths: (run) => (run.ok ? run.paths : []),
  });
  if (!found.ok) return found.result;
  const left = leftOutNote(unsettled.size);
  const paths = found.paths.filter((path) => !unsettled.has(path));
  if (paths.length === 0) return nothingFound(await directoryHint(input.pattern, base, context.files), left);
  const files = paths.slice(0, MAX_FILES).map((path) => showPath(path, { directory: root, cwd: context.state.cwd }));
  const truncated = found.paths.length > MAX_FILES;
  const note = `(These are the ${MAX_FILES} newest files; there are more. Use a narrower pattern or path to see the others.)`;
  return { content: [...files, ...(truncated ? [note] : []), ...left].join('\n'), output: { files, truncated } };
}

async function listNewest(directory: HeldDirectory, { glob, context }: { glob: string; context: CallContext }): Promise<NewestRun> {
  const rg = await ripgrepPath();
  return newestFirst(
    {
      directory,
      stages: (sort) => listing(glob, { rg, sort }),
      count: MAX_FILES + 1,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    },
    context,
  );
}

function listing(glob: string, { rg, sort }: { rg: string; sort: readonly string[] }): readonly [Stage, ...Stage[]] {
  const names = nameFilter(glob);
  const list = listStage(rg, { operand: './', filters: [...sort, ...(names ?? [])] });
  return names !== null || glob === '**' ? [list] : [list, matchStage(rg, glob)];
}

/** The real path to walk; `null` when only the pattern names a directory that is not there, which is no match and no error. */
async function confineDirectory(target: { directory: string; base: string }, context: CallContext): Promise<string | null> {
  const { directory, base } = target;
  try {
    const { path, kind } = await confine(directory, context);
    if (kind === 'directory') return path;
  } catch (error) {
    if (directory === base || !(error instanceof FileError) || error.code !== 'not_found') throw error;
    await confine(base, context);
    return null;
  }
  if (directory !== base) return null;
  throw new FileError('not_a_file', `${shownPath(directory, context.state.cwd)} is a file: give the directory it is in as path.`);
}

function confine(path: string, { files, state }: CallContext): ReturnType<SessionFiles['confine']> {
  return speakOf({ path, shown: shownPath(path, state.cwd) }, () => files.confine(path));
}

/** @param hint what to write instead, if that can be told */
function nothingFound(hint: string | null = null, notes: readonly string[] = []): ToolResult<Output> {
  const found = hint === null ? 'No files found' : `No files found. ${hint}`;
  return { content: [found, ...notes].join('\n'), output: { files: [], truncated: false } };
}
