// The parts of a Jupyter notebook (nbformat 4) that are shown.
import { z } from 'zod';

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);

const output = z.discriminatedUnion('output_type', [
  z.object({ output_type: z.literal('stream'), text }),
  z.object({ output_type: z.enum(['execute_result', 'display_data']), data: z.record(z.string(), z.unknown()) }),
  z.object({ output_type: z.literal('error'), ename: z.string(), evalue: z.string(), traceback: z.array(z.string()).catch([]) }),
]);

const notebook = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      id: z.string().optional(),
      source: text,
      // An output of a kind we do not know is left out rather than the whole notebook.
      outputs: z.array(output.nullable().catch(null)).catch([]).default([]),
    }),
  ),
});

export type NotebookCell = z.output<typeof notebook>['cells'][number];
export type CellOutput = z.output<typeof output>;

/** The cells of a notebook's text; `null` when it is no notebook of this format. */
export function parseNotebook(source: string): NotebookCell[] | null {
  try {
    return notebook.parse(JSON.parse(source)).cells;
  } catch {
    // Not JSON or not this format: the caller shows it as the text it is.
    return null;
  }
}

/** One kind of data of an output as text; the format allows a string or a list of lines. */
export function outputText(data: Readonly<Record<string, unknown>>, mime: string): string | null {
  const parsed = text.safeParse(data[mime]);
  return parsed.success ? parsed.data : null;
}
