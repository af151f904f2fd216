import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { buildTool } from '../../src/contract/index.ts';
import { diffView } from '../../src/workspace/content/file-diff.ts';
import type { WriteOutput } from './write-file.ts';
import { probeWrite, writeFile, writeIntent } from './write-file.ts';

const description = readFileSync(new URL('./description.md', import.meta.url), 'utf8');

const PREVIEW_CHARS = 20_000;

const inputSchema = z.strictObject({
  file_path: z.string().min(1).max(4096).describe('Path of the file: absolute, or relative to the working directory.'),
  content: z.string().describe('The whole content of the file.'),
});

export default buildTool<typeof inputSchema, WriteOutput>({
  name: 'Write',
  searchHint: 'create overwrite save a whole file',
  inputSchema,
  description: () => description,
  userFacingName: (input) => (input ? `Write ${input.file_path}` : 'Write'),
  // Whether there is a file to lose cannot be told from the input, so the answer is the careful one.
  isDestructive: () => true,
  hints: { destructive: true },
  validateInput: ({ content }) =>
    content.isWellFormed()
      ? { ok: true }
      : { ok: false, message: 'content holds half of a surrogate pair, which no file can hold. Remove it.' },
  footprint: (input, { state }) => ({ writes: [resolve(state.cwd, input.file_path)] }),
  permissionSubjects: (input, { state }) => [{ kind: 'path', access: 'write', path: resolve(state.cwd, input.file_path) }],
  toAutoClassifierInput: (input) => `${input.file_path}: ${input.content}`,
  call: writeFile,
  interruptBehavior: 'finish',
  effect: () => 'idempotent',
  intent: writeIntent,
  probe: probeWrite,
  renderUse: (input) => ({ title: `Write ${input.file_path}`, body: { kind: 'text', text: input.content.slice(0, PREVIEW_CHARS) } }),
  renderResult: (input, { output }) => ({
    ...diffView(`Write ${input.file_path}`, input.file_path, output?.diff ?? null),
    ...(output && { subtitle: output.kind }),
  }),
  renderGroup: (inputs) => ({
    title: 'Write',
    subtitle: `${inputs.length} files`,
    body: { kind: 'list', items: inputs.map((input) => input.file_path) },
  }),
  backfillObservableInput: (input, { state }) => ({ ...input, file_path: resolve(state.cwd, String(input['file_path'])) }),
});
