// A notebook as far as an edit has to know it. What it looks like as text is not looked at here.
import { z } from 'zod';
import { isMonstrous, MAX_NODES, NotebookCell, positionName } from '../../src/workspace/content/notebook.ts';

const Notebook = z.object({
  nbformat: z.number().default(4),
  nbformat_minor: z.number().default(0),
  cells: z.array(z.unknown()),
});

export type Notebook = z.output<typeof Notebook>;
export type Cell = z.output<typeof NotebookCell>;

/** Names of cells that a refusal tells. */
const TOLD_CELLS = 30;

/** The notebook, or what is wrong with it, as the end of a sentence that begins with its path. */
export function parseNotebook(text: string): Notebook | string {
  if (isMonstrous(text)) return `holds more than ${MAX_NODES} objects and lists, too many to edit here. Change it with a command.`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `is not valid JSON (${error instanceof Error ? error.message : 'it cannot be parsed'}). Mend it with Edit first.`;
  }
  const notebook = Notebook.safeParse(parsed).data;
  if (notebook === undefined) return 'is JSON, but no notebook: it has no list of cells. Use Edit.';
  if (Math.floor(notebook.nbformat) !== 4)
    return `is a notebook of format ${notebook.nbformat}; only format 4 can be edited here. Use Edit.`;
  return notebook;
}

/** One cell; `null` when it is not of the format. */
export function readCell(raw: unknown): Cell | null {
  return NotebookCell.safeParse(raw).data ?? null;
}

/** Index of the cell that is meant, or why there is none. */
export function findCell({ cells }: Notebook, name: string): number | string {
  const ids = cells.map(idOf);
  const index = ids.indexOf(name);
  if (index !== -1 && index === ids.lastIndexOf(name)) return index;
  if (index !== -1) {
    const places = ids.flatMap((id, at) => (id === name ? [positionName(at)] : []));
    return `Several cells have the id ${name}. Name one by its place: ${places.slice(0, TOLD_CELLS).join(', ')}.`;
  }
  const [, digits] = /^cell-(\d{1,9})$/.exec(name) ?? [];
  if (digits !== undefined && Number(digits) < cells.length) return Number(digits);
  if (cells.length === 0) return `There is no cell ${name}: the notebook has no cells. Insert one without cell_id.`;
  const known = cells.slice(0, TOLD_CELLS).map((cell, at) => idOf(cell) ?? positionName(at));
  const more = cells.length > TOLD_CELLS ? `, … (${cells.length} in all)` : '';
  return `There is no cell ${name}. The cells are: ${known.join(', ')}${more}.`;
}

export function idOf(cell: unknown): string | undefined {
  const id = typeof cell === 'object' && cell !== null && 'id' in cell ? cell.id : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** True where cells have ids: from format 4.5 on. */
export function hasIds({ nbformat, nbformat_minor }: Notebook): boolean {
  return nbformat > 4 || nbformat_minor >= 5;
}
