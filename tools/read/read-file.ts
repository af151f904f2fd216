// One read: open the file, tell what it is, and show it in the way of its kind, unless the model has just seen the same.
import type { CallContext, ConfinedFile, FileSnapshot, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { digestBytes, digestFile } from '../../src/workspace/content/digest.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { kindOfFile } from './file-kind.ts';
import { DEFAULT_LINES, HEAD_BYTES, MEDIA_BYTES, WHOLE_BYTES } from './limits.ts';
import { parseNotebook } from './notebook-schema.ts';
import { showImage } from './show-image.ts';
import { showNotebook } from './show-notebook.ts';
import { showPdf } from './show-pdf.ts';
import { showText } from './show-text.ts';
import type { Range, Shown } from './shown.ts';

export interface ReadInput {
  readonly file_path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly pages?: string | undefined;
}

const UNCHANGED =
  'Unchanged: the file is still what you read with the same range earlier in this session, so look at that result. Ask for another range if you no longer have it.';

/** @throws FileError when there is no such file, it may not be read, or cannot be shown. */
export async function readFile(input: ReadInput, context: CallContext): Promise<ToolResult> {
  const { files, signal } = context;
  const path = files.absolute(input.file_path, context.state.cwd);
  const range: Range = {
    offset: Math.max(1, input.offset ?? 1),
    limit: input.limit ?? DEFAULT_LINES,
    ...(input.pages !== undefined && { pages: input.pages }),
  };
  return files.withFile(path, async (file) => {
    const whole = file.stats.size <= WHOLE_BYTES ? await readBytes(file, WHOLE_BYTES) : null;
    const hash = whole ? digestBytes(whole) : await digestFile(file.handle);
    if (isSameRead(files.remembered(file.path), range, hash)) return { content: UNCHANGED };
    const shown = await show({ path, file, whole }, range, signal);
    // What a stopped call would have shown never reaches the model.
    if (shown.extent !== 'nothing' && !signal.aborted) {
      files.remember(file.path, { hash, mtimeMs: file.stats.mtimeMs, size: file.stats.size, range, whole: shown.extent === 'whole' });
    }
    return { content: shown.content };
  });
}

interface Source {
  readonly path: string;
  readonly file: ConfinedFile;
  /** All bytes of a file that is small enough. */
  readonly whole: Buffer | null;
}

async function show({ path, file, whole }: Source, range: Range, signal: AbortSignal): Promise<Shown> {
  const head = whole?.subarray(0, HEAD_BYTES) ?? (await readBytes(file, HEAD_BYTES));
  const kind = await kindOfFile(file.path, head, head.length === file.stats.size);
  if (kind.kind === 'binary') throw new FileError('not_a_file', `${path} is a binary file (${kind.type}): it cannot be shown as text.`);
  if (kind.kind === 'text') return showText({ path, file, bytes: whole ?? head, complete: whole !== null }, range, signal);
  if (file.stats.size > MEDIA_BYTES) {
    throw new FileError('io', `${path} is too large to show: at most ${MEDIA_BYTES / 1024 / 1024} MiB of a file of its kind can be.`);
  }
  const bytes = whole ?? (await readBytes(file, MEDIA_BYTES));
  if (kind.kind === 'image') return showImage(path, bytes);
  if (kind.kind === 'pdf') return showPdf({ path, bytes, pages: range.pages }, signal);
  const encoding = detectEncoding(bytes);
  const cells = encoding && parseNotebook(encoding.decode(bytes.subarray(encoding.bom.length)));
  return cells ? showNotebook(cells, range) : showText({ path, file, bytes, complete: true }, range, signal);
}

function isSameRead(seen: FileSnapshot | undefined, range: Range, hash: string): boolean {
  return seen?.hash === hash && seen.range?.offset === range.offset && seen.range.limit === range.limit && seen.range.pages === range.pages;
}
