// What a server found, as lines for the model and as rows for views.
import {
  clipped,
  isWithin,
  MAX_CODE_RESULTS,
  type CallContext,
  type CodePlace,
  type CodeSymbol,
  type LanguageAnswer,
} from '../../src/contract/index.ts';
import { shownPath } from '../../src/workspace/content/show-path.ts';
import type { CodeText } from './code-text.ts';
import { isAtPlace, operationOf, type LspInput } from './input.ts';
import { linesElsewhere, type ShownLines } from './lines-elsewhere.ts';

/** Places, symbols or diagnostics that are shown. */
const MAX_SHOWN = 200;
const MAX_LINE = 200;
const OUTSIDE = '(outside of the directories of this session)';

export interface LspOutput {
  readonly kind: LanguageAnswer['kind'];
  readonly total: number;
  /** Of places: where, and the line; of symbols: where, kind and name; of diagnostics: where, severity and message; of a text: it. */
  readonly rows: readonly (readonly string[])[];
}

export interface Asked {
  readonly input: LspInput;
  readonly code: CodeText;
  readonly context: CallContext;
}

export async function outputOf(answer: LanguageAnswer, asked: Asked): Promise<LspOutput> {
  const { kind } = answer;
  switch (kind) {
    case 'places': {
      const { places } = answer;
      return { kind, total: places.length, rows: await placeRows(places.slice(0, MAX_SHOWN), asked) };
    }
    case 'symbols': {
      const { symbols } = answer;
      return { kind, total: symbols.length, rows: symbols.slice(0, MAX_SHOWN).map((symbol) => symbolRow(symbol, asked)) };
    }
    case 'diagnostics': {
      const rows = answer.diagnostics.slice(0, MAX_SHOWN).map((diagnostic) => {
        const { severity, message, source } = diagnostic;
        return [
          whereOf(diagnostic, asked),
          severity,
          `${printable(message).replaceAll('\n', '\n    ')}${source === undefined ? '' : ` [${oneLine(source)}]`}`,
        ];
      });
      return { kind, total: answer.diagnostics.length, rows };
    }
    case 'text':
      return { kind, total: answer.text === '' ? 0 : 1, rows: [[printable(answer.text)]] };
  }
}

export function contentOf({ kind, total, rows }: LspOutput, { input, code }: Asked): string {
  if (total === 0) return nothing(input, code);
  if (kind === 'text') return rows.flat().join('\n');
  const lines = rows.map(([where, ...rest]) => `${where}: ${rest.join(kind === 'diagnostics' ? ': ' : ' ')}`.trimEnd());
  if (total <= rows.length) return lines.join('\n');
  const all = `${total}${total >= MAX_CODE_RESULTS ? ' or more' : ''}`;
  return [...lines, `(Showing ${rows.length} of ${all}. Ask about something narrower, or use Grep, to see others.)`].join('\n');
}

function nothing(input: LspInput, { shown }: CodeText): string {
  const operation = operationOf(input);
  if (operation === 'diagnostics') return `No errors or warnings in ${shown}.`;
  if (operation === 'document_symbols') return `No symbols in ${shown}.`;
  if (operation === 'workspace_symbols') return `No symbol of the workspace matches ${JSON.stringify(input.query)}.`;
  const what = operation === 'hover' ? 'Nothing is known' : `No ${operation} found`;
  const place = isAtPlace(input) ? ` for line ${input.line}, character ${input.character} of ${shown}` : '';
  return `${what}${place}. Make sure that the place is on a name: line and character count from 1.`;
}

async function placeRows(places: readonly CodePlace[], asked: Asked): Promise<string[][]> {
  const { code, context } = asked;
  const elsewhere = places.filter(({ path }) => path !== code.path && isInside(path, context));
  const lines = elsewhere.length === 0 ? new Map() : await linesElsewhere(elsewhere, context);
  return places.map((place) => [whereOf(place, asked), textAt(place, asked, lines)]);
}

function textAt({ path, line }: CodePlace, { code, context }: Asked, lines: ShownLines): string {
  if (path === code.path) return oneLine(code.lines[line - 1] ?? '');
  return isInside(path, context) ? oneLine(lines.get(path)?.get(line) ?? '') : OUTSIDE;
}

function symbolRow(symbol: CodeSymbol, asked: Asked): string[] {
  const { name, kind, container, depth } = symbol;
  const isTree = operationOf(asked.input) === 'document_symbols';
  const within = container === undefined || (isTree && depth > 0) ? '' : ` (in ${oneLine(container)})`;
  const where = isTree ? `${symbol.line}:${symbol.character}` : whereOf(symbol, asked);
  return [where, `${'  '.repeat(depth)}${kind}`, `${oneLine(name)}${within}`];
}

/** `path:line:character`. */
function whereOf({ path, line, character }: CodePlace, { code, context }: Asked): string {
  return `${path === code.path ? code.shown : shownPath(path, context.state.cwd)}:${line}:${character}`;
}

function isInside(path: string, { workspace, readableRoots = [workspace] }: CallContext): boolean {
  return readableRoots.some((root) => isWithin(root, path));
}

function oneLine(text: string): string {
  return clipped(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), MAX_LINE);
}

/** Without control characters that are none of a text. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
