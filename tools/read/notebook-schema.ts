// The parts of a Jupyter notebook (nbformat 4) that are shown.
import { z } from 'zod';
import { isMonstrous, NotebookCell, NotebookText as text } from '../../src/workspace/content/notebook.ts';

const output = z.discriminatedUnion('output_type', [
  z.object({ output_type: z.literal('stream'), text }),
  z.object({ output_type: z.enum(['execute_result', 'display_data']), data: z.record(z.string(), z.unknown()) }),
  z.object({ output_type: z.literal('error'), ename: z.string(), evalue: z.string(), traceback: z.array(z.string()).catch([]) }),
]);

const cell = NotebookCell.extend({
  // An output of a kind we do not know is left out rather than the whole cell.
  outputs: z.array(output.nullable().catch(null)).catch([]).default([]),
});

export type ShownCell = z.output<typeof cell>;
export type CellOutput = z.output<typeof output>;

/** The cells of a notebook's text, not yet checked; `null` when it is no notebook of this format, or a monstrous one. */
export function parseNotebook(source: string): unknown[] | null {
  if (isMonstrous(source)) return null;
  try {
    const { cells } = JSON.parse(source) as { cells?: unknown };
    return Array.isArray(cells) && (cells.length === 0 || cell.safeParse(cells[0]).success) ? cells : null;
  } catch {
    // Not JSON: the caller shows it as the text it is.
    return null;
  }
}

/** One cell; `null` when it is not of the format. */
export function readCell(raw: unknown): ShownCell | null {
  return cell.safeParse(raw).data ?? null;
}

/** One kind of data of an output as text. */
export function outputText(data: Readonly<Record<string, unknown>>, mime: string): string | null {
  const parsed = text.safeParse(data[mime]);
  return parsed.success ? parsed.data : null;
}
