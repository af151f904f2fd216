import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { buildTool } from '../../src/contract/index.ts';
import { diffView, fileDiff } from '../../src/workspace/content/file-diff.ts';
import type { EditInput, EditOutput } from './edit-file.ts';
import { editFile, editIntent, probeEdit } from './edit-file.ts';

const description = readFileSync(new URL('./description.md', import.meta.url), 'utf8');

/** An edit counts as destructive when it takes away at least this many characters and leaves less than a quarter. */
const DESTRUCTIVE_CHARS = 500;

const inputSchema = z.strictObject({
  file_path: z.string().min(1).max(4096).describe('Path of the file: absolute, or relative to the working directory.'),
  old_string: z.string().describe('The exact text to replace. Empty only to create a new file.'),
  new_string: z.string().describe('The text to put in its place; must differ from old_string.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence instead of exactly one. Default: false.'),
});

export default buildTool<typeof inputSchema, EditOutput>({
  name: 'Edit',
  searchHint: 'change replace text in a file',
  inputSchema,
  description: () => description,
  userFacingName: (input) => (input ? `Edit ${input.file_path}` : 'Edit'),
  isDestructive,
  hints: { destructive: true },
  validateInput(input) {
    if (input.old_string === input.new_string)
      return { ok: false, message: 'old_string and new_string are the same: nothing would change.' };
    if (input.old_string === '' && input.replace_all) return { ok: false, message: 'replace_all needs an old_string that is not empty.' };
    return { ok: true };
  },
  footprint: (input, { state }) => ({ writes: [resolve(state.cwd, input.file_path)] }),
  permissionSubjects: (input, { state }) => [{ kind: 'path', access: 'write', path: resolve(state.cwd, input.file_path) }],
  toAutoClassifierInput: (input) => `${input.file_path}: ${input.new_string}`,
  call: editFile,
  interruptBehavior: 'finish',
  effect: () => 'probe',
  intent: editIntent,
  probe: probeEdit,
  renderUse: (input) => diffView(`Edit ${input.file_path}`, input.file_path, fileDiff(input.file_path, input.old_string, input.new_string)),
  renderResult: (input, { output }) => diffView(`Edit ${input.file_path}`, input.file_path, output?.diff ?? null),
  renderGroup: (inputs) => ({
    title: 'Edit',
    subtitle: `${inputs.length} edits`,
    body: { kind: 'list', items: inputs.map((input) => input.file_path) },
  }),
  backfillObservableInput: (input, { state }) => ({ ...input, file_path: resolve(state.cwd, String(input['file_path'])) }),
});

function isDestructive({ old_string, new_string }: EditInput): boolean {
  return old_string.length - new_string.length >= DESTRUCTIVE_CHARS && new_string.length * 4 < old_string.length;
}
