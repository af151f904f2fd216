import { resolve } from 'node:path';
import type { CallContext, ToolResult } from '../../src/contract/index.ts';
import { buildTool, descriptionOf, ONLY_READS } from '../../src/contract/index.ts';
import { contentOf, outputOf, type LspOutput } from './answer.ts';
import { checkPlace, readCode } from './code-text.ts';
import { checkInput, isAtPlace, lspInput, operationOf, type LspInput } from './input.ts';
import { groupView, resultView, useView } from './views.ts';

/** Above what a server may take to start, to load a project and to answer. */
const TIMEOUT_MS = 300_000;

export default buildTool<typeof lspInput, LspOutput>({
  name: 'LSP',
  searchHint: 'code definition references hover symbols diagnostics errors',
  inputSchema: lspInput,
  description: descriptionOf(import.meta.url),
  ...ONLY_READS,
  timeoutMs: TIMEOUT_MS,
  validateInput: checkInput,
  permissionSubjects: (input, { state }) => [{ kind: 'path', access: 'read', path: resolve(state.cwd, input.file_path) }],
  toAutoClassifierInput: (input) => `${input.operation} ${input.file_path}`,
  call: askServer,
  renderUse: useView,
  renderResult: (input, { output }) => resultView(input, output),
  renderGroup: groupView,
  backfillObservableInput: (input, { state }) => ({ ...input, file_path: resolve(state.cwd, String(input['file_path'])) }),
});

async function askServer(input: LspInput, context: CallContext): Promise<ToolResult<LspOutput>> {
  const code = await readCode(input.file_path, context);
  if (isAtPlace(input)) checkPlace(code, input);
  const { line, character, query } = input;
  const answer = await context.languageServers.ask({
    operation: operationOf(input),
    path: code.path,
    text: code.text,
    ...(line !== undefined && { line }),
    ...(character !== undefined && { character }),
    ...(query !== undefined && { query }),
    signal: context.signal,
  });
  const asked = { input, code, context };
  const output = await outputOf(answer, asked);
  return { content: contentOf(output, asked), output };
}
