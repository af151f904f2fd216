import { z } from 'zod';
import { buildTool, descriptionOf } from '../../src/contract/index.ts';
import { diffView } from '../../src/workspace/content/file-diff.ts';
import { onFile } from '../../src/workspace/content/on-file.ts';
import type { WriteOutput } from './write-file.ts';
import { probeWrite, writeFile, writeIntent } from './write-file.ts';

const PREVIEW_CHARS = 20_000;

const inputSchema = z.strictObject({
  file_path: z.string().min(1).max(4096).describe('Path of the file: absolute, or relative to the working directory.'),
  content: z.string().describe('The whole content of the file.'),
});

export default buildTool<typeof inputSchema, WriteOutput>({
  name: 'Write',
  searchHint: 'create overwrite save a whole file',
  inputSchema,
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? `Write ${input.file_path}` : 'Write'),
  // Whether there is a file to lose cannot be told from the input, so the answer is the careful one.
  isDestructive: () => true,
  hints: { destructive: true },
  validateInput: ({ content }) =>
    content.isWellFormed()
      ? { ok: true }
      : { ok: false, message: 'content holds half of a surrogate pair, which no file can hold. Remove it.' },
  ...onFile('file_path', 'write'),
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
});
