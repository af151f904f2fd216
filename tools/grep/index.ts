import { basename, dirname, resolve } from 'node:path';
import type { CallContext, PermissionContext, ToolResult } from '../../src/contract/index.ts';
import { buildTool, descriptionOf, ONLY_READS } from '../../src/contract/index.ts';
import { directoryHint } from '../../src/search/directory-glob.ts';
import { globFault } from '../../src/search/glob-fault.ts';
import { holdDirectory } from '../../src/search/held-directory.ts';
import { searchedPaths } from '../../src/search/ignore-files.ts';
import { SEARCH_TIMEOUT_MS } from '../../src/search/run-search.ts';
import { shownPath } from '../../src/workspace/content/show-path.ts';
import { speakOf } from '../../src/workspace/content/speak-of.ts';
import type { GrepInput } from './input.ts';
import { grepInput } from './input.ts';
import type { GrepOutput } from './answer.ts';
import { NO_FILES, NO_MATCHES } from './answer.ts';
import { search } from './search.ts';

export default buildTool<typeof grepInput, GrepOutput>({
  name: 'Grep',
  searchHint: 'search text in files by regular expression',
  inputSchema: grepInput,
  description: descriptionOf(import.meta.url),
  ...ONLY_READS,
  timeoutMs: 2 * SEARCH_TIMEOUT_MS + 10_000,
  validateInput: ({ pattern, path = '', glob = '', type = '' }) => {
    const nul = `${pattern}${path}${glob}${type}`.includes('\0');
    const fault = nul ? String.raw`No parameter may hold a NUL character; write \x00 in the pattern instead.` : globFault(glob);
    return fault === null ? { ok: true } : { ok: false, message: fault };
  },
  footprint: (input, context) => ({ reads: searchedPaths(pathOf(input, context)) }),
  permissionSubjects: (input, context) => [{ kind: 'path', access: 'read', path: pathOf(input, context) }],
  backfillObservableInput: (input, context) => ({ ...input, path: pathOf(input, context) }),
  call: grep,
  renderUse: (input) => ({ title: 'Grep', subtitle: subtitle(input) }),
  renderResult: (input, { output }) => ({
    title: 'Grep',
    subtitle: `${subtitle(input)} (${output?.lines.length ?? 0}${output?.truncated ? '+' : ''})`,
    body:
      input.output_mode === 'content'
        ? { kind: 'text', text: output?.lines.join('\n') ?? '' }
        : { kind: 'list', items: output?.lines ?? [] },
    collapsed: true,
  }),
  renderGroup: (inputs) => ({ title: 'Grep', subtitle: inputs.map((input) => input.pattern).join(', '), collapsed: true }),
});

function pathOf(input: { path?: string | undefined }, context: PermissionContext): string {
  return resolve(context.state.cwd, input.path ?? '.');
}

function subtitle({ pattern, path, glob }: GrepInput): string {
  return [pattern, ...(glob ? [`in ${glob}`] : []), ...(path ? [`under ${path}`] : [])].join(' ');
}

async function grep(input: GrepInput, context: CallContext): Promise<ToolResult<GrepOutput>> {
  const base = pathOf(input, context);
  const { path, kind } = await speakOf({ path: base, shown: shownPath(base, context.state.cwd) }, () => context.files.confine(base));
  const isDirectory = kind === 'directory';
  await using directory = await holdDirectory(isDirectory ? path : dirname(path));
  const found = await search(input, { directory, operand: isDirectory ? './' : `./${basename(path)}` }, context);
  if (input.glob === undefined || !foundNothing(found)) return found;
  const hint = await directoryHint(input.glob, base, context.files);
  return hint === null ? found : { ...found, content: `${NO_FILES}. ${hint}` };
}

function foundNothing({ content }: ToolResult<GrepOutput>): boolean {
  return content === NO_FILES || content === NO_MATCHES;
}
