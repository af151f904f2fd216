import { z } from 'zod';
import { buildTool, descriptionOf, ONLY_READS } from '../../src/contract/index.ts';
import { onFile } from '../../src/workspace/content/on-file.ts';
import { parsePages } from './pdf-pages.ts';
import type { ReadInput } from './read-file.ts';
import { readFile } from './read-file.ts';

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
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? titleOf(input) : 'Read'),
  ...ONLY_READS,
  validateInput: ({ pages }) =>
    pages === undefined || parsePages(pages) ? { ok: true } : { ok: false, message: 'pages must be one page ("3") or a range ("1-5").' },
  ...onFile('file_path', 'read'),
  toAutoClassifierInput: (input) => input.file_path,
  call: readFile,
  // The tool keeps its own limit on characters and says how to read on, which a cut by someone else would hide.
  maxResultChars: 200_000,
  renderUse: (input) => ({ title: titleOf(input) }),
  // The content goes out with the result; a second copy in the view would only double the event.
  renderResult: (input) => ({ title: titleOf(input) }),
  renderGroup: (inputs) => ({ title: 'Read', subtitle: `${inputs.length} files`, body: { kind: 'list', items: inputs.map(titleOf) } }),
});

function titleOf({ file_path, offset, limit, pages }: ReadInput): string {
  if (pages !== undefined) return `Read ${file_path} (pages ${pages})`;
  if (offset === undefined && limit === undefined) return `Read ${file_path}`;
  const first = Math.max(1, offset ?? 1);
  return limit === undefined ? `Read ${file_path} (from ${first})` : `Read ${file_path} (${first}-${first + limit - 1})`;
}
