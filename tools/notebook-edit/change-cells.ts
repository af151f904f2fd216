// The text of a notebook's list of cells with one cell replaced, inserted or deleted. No byte of another cell changes.
import { indentOf, leadBetween, printJson, type Json, type Style } from './json-style.ts';
import { putTogether, takeApart, type Container, type Part } from './json-text.ts';
import type { Cell } from './notebook.ts';

export interface NewCell {
  readonly type: string;
  readonly source: string;
  /** Absent where cells have no ids. */
  readonly id?: string;
}

/** The cell with another source and, maybe, of another type; a code cell loses its outputs, which another source gave. */
export function replaceCell(text: string, { before, after }: { before: Cell; after: Omit<NewCell, 'id'> }, style: Style): string {
  const cell = takeApart(text);
  let parts = cell.parts.map((part) => (part.key === 'source' ? { ...part, value: printSource(part, after.source, style) } : part));
  if (before.cell_type !== after.type) parts = withMember(parts, ['cell_type', after.type], style);
  if (after.type === 'code') {
    parts = withMember(parts, ['execution_count', null], style);
    parts = withMember(parts, ['outputs', []], style);
    if (before.cell_type !== 'code') parts = without(parts, ({ key }) => key === 'attachments');
  } else if (before.cell_type === 'code') {
    parts = without(parts, ({ key }) => key === 'outputs' || key === 'execution_count');
  }
  return putTogether({ ...cell, parts });
}

/** @param index where the new cell will stand */
export function insertCell(cells: Container, { index, cell, listLead }: { index: number; cell: NewCell; listLead: string }, style: Style) {
  const { parts, close } = cells;
  const inside = indentOf(listLead);
  const line = style.indent === null || inside === null ? null : style.newline + inside;
  const first = parts[0]?.lead ?? (line === null ? '' : line + (style.indent ?? ''));
  const between = leadBetween(parts, style);
  const lead = index === 0 ? first : between;
  const added: Part = { lead, key: null, label: '', value: printJson(newCell(cell, sourceForm(parts)), lead, style), trail: '' };
  const later = parts.slice(index).map((part, at) => (index === 0 && at === 0 ? { ...part, lead: between } : part));
  return putTogether({
    ...cells,
    parts: [...parts.slice(0, index), added, ...later],
    close: parts.length === 0 ? (line ?? '') : close,
  });
}

export function deleteCell(cells: Container, index: number): string {
  const gone = cells.parts[index];
  const parts = without(cells.parts, (part) => part === gone);
  return putTogether({ ...cells, parts, close: parts.length === 0 ? '' : cells.close });
}

/** As notebooks are written: names in order, a source as a list of lines. */
function newCell({ type, source, id }: NewCell, form: 'string' | 'list'): Json {
  const code = type === 'code';
  return {
    cell_type: type,
    ...(code && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(code && { outputs: [] }),
    source: form === 'string' ? source : linesOf(source),
  };
}

/** How the first cell of the notebook holds its source. */
function sourceForm(cells: readonly Part[]): 'string' | 'list' {
  const [first] = cells;
  if (first?.value.startsWith('{') !== true) return 'list';
  const source = takeApart(first.value).parts.findLast(({ key }) => key === 'source');
  return source?.value.startsWith('"') === true ? 'string' : 'list';
}

function printSource({ lead, value }: Part, source: string, style: Style): string {
  if (value.startsWith('"')) return printJson(source, lead, style);
  const lines = linesOf(source);
  const { parts, close } = takeApart(value);
  const [first] = parts;
  if (first === undefined || lines.length === 0) return printJson(lines, lead, style);
  const between = leadBetween(parts, style);
  const printed = lines.map((line, index): Part => {
    const itemLead = index === 0 ? first.lead : between;
    return { lead: itemLead, key: null, label: '', value: printJson(line, itemLead, style), trail: '' };
  });
  return putTogether({ kind: 'list', parts: printed, close });
}

function linesOf(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** With this value for a name; a name that is new comes last. */
function withMember(parts: readonly Part[], [key, value]: readonly [string, Json], style: Style): Part[] {
  const set = (part: Part): Part => ({ ...part, value: printJson(value, part.lead, style) });
  if (parts.some((part) => part.key === key)) return parts.map((part) => (part.key === key ? set(part) : part));
  const lead = leadBetween(parts, style);
  return [...parts, set({ lead, key, label: JSON.stringify(key) + style.colon, value: '', trail: '' })];
}

/** What comes first stands where the first one stood. */
function without(parts: readonly Part[], gone: (part: Part) => boolean): Part[] {
  const kept = parts.filter((part) => !gone(part));
  const lead = parts[0]?.lead ?? '';
  return kept.map((part, index) => (index === 0 ? { ...part, lead } : part));
}
