// A Jupyter notebook (nbformat 4), as far as reading and editing have it in common.
import { z } from 'zod';

/** The format allows a string or a list of lines. */
export const NotebookText = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);

export const NotebookCell = z.object({ cell_type: z.string(), id: z.string().optional(), source: NotebookText });

/** Objects and lists that a notebook may hold: parsing more would hold the event loop for too long, and take too much memory. */
export const MAX_NODES = 200_000;

/** Whether the text of a notebook may hold more of them than {@link MAX_NODES}. */
export function isMonstrous(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= MAX_NODES; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count > MAX_NODES;
}

/** The name of a cell that has no id: its place, counted from 0. */
export function positionName(index: number): string {
  return `cell-${index}`;
}
