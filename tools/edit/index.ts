import { z } from 'zod';
import { buildTool, descriptionOf } from '../../src/contract/index.ts';
import { diffView, fileDiff } from '../../src/workspace/content/file-diff.ts';
import { onFile } from '../../src/workspace/content/on-file.ts';
import type { EditInput, EditOutput } from './edit-file.ts';
import { editFile, editIntent, probeEdit } from './edit-file.ts';

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
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? `Edit ${input.file_path}` : 'Edit'),
  isDestructive,
  hints: { destructive: true },
  validateInput(input) {
    if (input.old_string === input.new_string)
      return { ok: false, message: 'old_string and new_string are the same: nothing would change.' };
    if (input.old_string === '' && input.replace_all) return { ok: false, message: 'replace_all needs an old_string that is not empty.' };
    return { ok: true };
  },
  ...onFile('file_path', 'write'),
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
});

function isDestructive({ old_string, new_string }: EditInput): boolean {
  return old_string.length - new_string.length >= DESTRUCTIVE_CHARS && new_string.length * 4 < old_string.length;
}
