// What an edit does to the cells of a notebook, and the words for it.
import { hash } from 'node:crypto';
import { positionName } from '../../src/workspace/content/notebook.ts';
import { deleteCell, insertCell, replaceCell } from './change-cells.ts';
import type { Style } from './json-style.ts';
import { putTogether, type Container } from './json-text.ts';
import { findCell, hasIds, idOf, readCell, type Notebook } from './notebook.ts';

export interface NotebookEditInput {
  readonly notebook_path: string;
  readonly cell_id?: string | undefined;
  readonly new_source?: string | undefined;
  readonly cell_type?: 'code' | 'markdown' | undefined;
  readonly edit_mode?: 'replace' | 'insert' | 'delete' | undefined;
}

/** What is done to which cell. */
export interface Change {
  /** Text of the whole list of cells; `null` when nothing changes. */
  readonly cells: string | null;
  /** Name of the cell. */
  readonly cell: string;
  /** The beginning of a sentence that the path ends. */
  readonly did: string;
  readonly notes: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** A notebook with the text of its cells. */
export interface OpenNotebook {
  readonly notebook: Notebook;
  readonly cells: Container;
  /** What stands before the list of cells. */
  readonly listLead: string;
  readonly style: Style;
  /** What ids of new cells are made of. */
  readonly seed: string;
}

/** The change, or why there is none. */
export function changeCells(open: OpenNotebook, input: NotebookEditInput): Change | string {
  const { cell_id, edit_mode = 'replace' } = input;
  const index = cell_id === undefined ? -1 : findCell(open.notebook, cell_id);
  if (typeof index === 'string') return index;
  if (edit_mode === 'insert') return insert(open, index + 1, input);
  return edit_mode === 'delete' ? remove(open, index) : replace(open, index, input);
}

function replace(
  { notebook, cells, style }: OpenNotebook,
  index: number,
  { new_source: after = '', cell_type }: NotebookEditInput,
): Change | string {
  const before = readCell(notebook.cells[index]);
  const name = nameOf(notebook, index);
  const part = cells.parts[index];
  if (before === null || part === undefined) return `Cell ${name} is not of the notebook format. Mend it with Edit.`;
  const type = cell_type ?? before.cell_type;
  const same = before.source === after && type === before.cell_type;
  const value = same ? part.value : replaceCell(part.value, { before, after: { type, source: after } }, style);
  return {
    cells: same ? null : putTogether({ ...cells, parts: cells.parts.map((each) => (each === part ? { ...each, value } : each)) }),
    cell: name,
    did: `Replaced cell ${name} (${place(index, cells)}${type === before.cell_type ? '' : `, now ${type}`}) of`,
    notes: type === 'code' ? ['Its outputs were cleared: they came from the former source.'] : [],
    before: before.source,
    after,
  };
}

function insert({ notebook, cells, listLead, style, seed }: OpenNotebook, index: number, input: NotebookEditInput): Change {
  const { new_source: source = '', cell_type: type = 'code' } = input;
  const id = hasIds(notebook) ? freshId(notebook, seed) : undefined;
  const cell = id ?? positionName(index);
  return {
    cells: insertCell(cells, { index, cell: { type, source, ...(id !== undefined && { id }) }, listLead }, style),
    cell,
    did: `Inserted ${type} cell ${cell} as number ${index + 1} of ${cells.parts.length + 1} into`,
    notes: movedNote(notebook, index),
    before: '',
    after: source,
  };
}

function remove({ notebook, cells }: OpenNotebook, index: number): Change {
  const gone = readCell(notebook.cells[index]);
  const name = nameOf(notebook, index);
  return {
    cells: deleteCell(cells, index),
    cell: name,
    did: `Deleted cell ${name} (${place(index, cells)}) of`,
    notes: movedNote(notebook, index + 1),
    before: gone?.source ?? '',
    after: '',
  };
}

/** @param from index of the first cell that now has another place */
function movedNote({ cells }: Notebook, from: number): string[] {
  const moved = cells.slice(from).some((cell) => idOf(cell) === undefined);
  return moved ? ['Cells after it that have no id are now counted anew.'] : [];
}

function place(index: number, { parts }: Container): string {
  return `number ${index + 1} of ${parts.length}`;
}

function nameOf({ cells }: Notebook, index: number): string {
  return idOf(cells[index]) ?? positionName(index);
}

function freshId({ cells }: Notebook, seed: string): string {
  const taken = new Set(cells.map(idOf));
  for (let attempt = 0; ; attempt += 1) {
    const id = hash('sha256', `${seed} ${attempt}`).slice(0, 8);
    if (!taken.has(id)) return id;
  }
}
