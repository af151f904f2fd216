import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { buildTool } from '../../src/contract/index.ts';
import { parsePages } from './pdf-pages.ts';
import type { ReadInput } from './read-file.ts';
import { readFile } from './read-file.ts';

const description = readFileSync(new URL('./description.md', import.meta.url), 'utf8');

const inputSchema = z.strictObject({
  file_path: z.string().min(1).max(4096).describe('Path of the file: absolute, or relative to the working directory.'),
  offset: z.int().min(0).optional().describe('Line to start from, counted from 1 (cell in a notebook). Default: 1.'),
  limit: z.int().min(1).optional().describe('Number of lines (cells in a notebook). Default: 2,000.'),
  pages: z.string().optional().describe('Pages of a PDF, such as "3" or "1-5"; at most 20 at once.'),
});

export default buildTool({
  name: 'Read',
  searchHint: 'open show view a file, image, PDF or notebook',
  inputSchema,
  description: () => description,
  userFacingName: (input) => (input ? titleOf(input) : 'Read'),
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  hints: { readOnly: true },
  validateInput: ({ pages }) =>
    pages === undefined || parsePages(pages) ? { ok: true } : { ok: false, message: 'pages must be one page ("3") or a range ("1-5").' },
  footprint: (input, { state }) => ({ reads: [resolve(state.cwd, input.file_path)] }),
  permissionSubjects: (input, { state }) => [{ kind: 'path', access: 'read', path: resolve(state.cwd, input.file_path) }],
  toAutoClassifierInput: (input) => input.file_path,
  call: readFile,
  // The tool keeps its own limit on characters and says how to read on, which a cut by someone else would hide.
  maxResultChars: 200_000,
  effect: () => 'read',
  renderUse: (input) => ({ title: titleOf(input) }),
  // The content goes out with the result; a second copy in the view would only double the event.
  renderResult: (input) => ({ title: titleOf(input) }),
  renderGroup: (inputs) => ({ title: 'Read', subtitle: `${inputs.length} files`, body: { kind: 'list', items: inputs.map(titleOf) } }),
  backfillObservableInput: (input, { state }) => ({ ...input, file_path: resolve(state.cwd, String(input['file_path'])) }),
});

function titleOf({ file_path, offset, limit, pages }: ReadInput): string {
  if (pages !== undefined) return `Read ${file_path} (pages ${pages})`;
  if (offset === undefined && limit === undefined) return `Read ${file_path}`;
  const first = Math.max(1, offset ?? 1);
  return limit === undefined ? `Read ${file_path} (from ${first})` : `Read ${file_path} (${first}-${first + limit - 1})`;
}
