import { z } from 'zod';
import { buildTool, descriptionOf, type Validation, type View } from '../../src/contract/index.ts';
import { diffView } from '../../src/workspace/content/file-diff.ts';
import { onFile } from '../../src/workspace/content/on-file.ts';
import { editNotebook, notebookIntent, probeNotebook, type NotebookEditOutput } from './edit-notebook.ts';
import type { NotebookEditInput } from './plan-change.ts';

/** Characters of a new source that are shown before the call has run. */
const PREVIEW_CHARS = 10_000;

const inputSchema = z.strictObject({
  notebook_path: z.string().min(1).max(4096).describe('Path of the .ipynb file: absolute, or relative to the working directory.'),
  cell_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Id of the cell, or cell-N for one without an id (N counts from 0). With insert: the new cell comes after it.'),
  new_source: z.string().optional().describe('The whole new source of the cell. Needed unless edit_mode is delete.'),
  cell_type: z.enum(['code', 'markdown']).optional().describe('Kind of the cell. Needed with insert; with replace it changes the kind.'),
  edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('What is done. Default: replace.'),
});

export default buildTool<typeof inputSchema, NotebookEditOutput>({
  name: 'NotebookEdit',
  searchHint: 'change insert delete a cell of a Jupyter notebook ipynb',
  inputSchema,
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? `Edit ${input.notebook_path}` : 'NotebookEdit'),
  isDestructive: ({ edit_mode }) => edit_mode === 'delete',
  hints: { destructive: true },
  validateInput: validate,
  ...onFile('notebook_path', 'write'),
  toAutoClassifierInput: (input) => `${input.notebook_path}: ${input.edit_mode ?? 'replace'} ${input.new_source ?? ''}`,
  call: editNotebook,
  interruptBehavior: 'finish',
  effect: () => 'probe',
  intent: notebookIntent,
  probe: probeNotebook,
  renderUse: (input) => ({
    title: titleOf(input),
    ...(input.new_source !== undefined && { body: { kind: 'text', text: input.new_source.slice(0, PREVIEW_CHARS) } }),
  }),
  renderResult: (input, { output }): View => ({
    ...diffView(titleOf(input), input.notebook_path, output?.diff ?? null),
    ...(output && { subtitle: output.cell }),
  }),
  renderGroup: (inputs) => ({
    title: 'NotebookEdit',
    subtitle: `${inputs.length} cells`,
    body: { kind: 'list', items: inputs.map((input) => `${input.notebook_path} ${input.cell_id ?? ''}`.trim()) },
  }),
});

function validate({ notebook_path, cell_id, new_source, cell_type, edit_mode = 'replace' }: NotebookEditInput): Validation {
  const fault = (message: string): Validation => ({ ok: false, message });
  if (!notebook_path.toLowerCase().endsWith('.ipynb')) return fault('notebook_path is no .ipynb file. Use Edit for other files.');
  if (edit_mode !== 'insert' && cell_id === undefined) return fault(`cell_id is missing: say which cell to ${edit_mode}.`);
  if (edit_mode === 'insert' && cell_type === undefined) return fault('cell_type is missing: give code or markdown for the new cell.');
  if (edit_mode === 'delete' && new_source !== undefined && new_source !== '') {
    return fault('new_source makes no sense with edit_mode delete: leave it out, or use replace.');
  }
  if (edit_mode !== 'delete' && new_source === undefined) return fault('new_source is missing: give the whole source of the cell.');
  return { ok: true };
}

function titleOf({ notebook_path, edit_mode = 'replace', cell_id }: NotebookEditInput): string {
  if (edit_mode === 'insert') return `Insert a cell into ${notebook_path}`;
  return `${edit_mode === 'delete' ? 'Delete' : 'Edit'} cell ${cell_id ?? ''} of ${notebook_path}`;
}
