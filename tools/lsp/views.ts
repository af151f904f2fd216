// How calls are drawn.
import type { View, ViewBody } from '../../src/contract/index.ts';
import type { LspOutput } from './answer.ts';
import { isAtPlace, operationOf, type LspInput } from './input.ts';

const TITLES = {
  definition: 'Definition',
  implementation: 'Implementations',
  references: 'References',
  hover: 'Hover',
  document_symbols: 'Symbols of file',
  workspace_symbols: 'Symbols of workspace',
  diagnostics: 'Diagnostics',
} as const;

export function useView(input: LspInput): View {
  return { title: TITLES[operationOf(input)], subtitle: subjectOf(input) };
}

export function resultView(input: LspInput, output: LspOutput | undefined): View {
  const view = useView(input);
  if (output === undefined) return view;
  const { kind, total } = output;
  const counted = kind === 'text' ? '' : ` (${total})`;
  return { ...view, subtitle: `${subjectOf(input)}${counted}`, ...(total > 0 && { body: bodyOf(output) }), collapsed: true };
}

export function groupView(inputs: readonly LspInput[]): View {
  const items = inputs.map((input) => `${TITLES[operationOf(input)]}: ${subjectOf(input)}`);
  return { title: 'LSP', subtitle: `${inputs.length} questions`, body: { kind: 'list', items }, collapsed: true };
}

function bodyOf({ kind, rows }: LspOutput): ViewBody {
  const table = rows.map((row) => [...row]);
  switch (kind) {
    case 'places':
      return { kind: 'table', columns: ['Place', 'Line'], rows: table };
    case 'symbols':
      return { kind: 'table', columns: ['Place', 'Kind', 'Name'], rows: table };
    case 'diagnostics':
      return { kind: 'list', items: rows.map((row) => row.join(': ')) };
    case 'text':
      return { kind: 'markdown', text: rows.flat().join('\n') };
  }
}

function subjectOf(input: LspInput): string {
  const { file_path, line, character, query } = input;
  if (operationOf(input) === 'workspace_symbols') return query ?? '';
  return isAtPlace(input) ? `${file_path}:${line}:${character}` : file_path;
}
