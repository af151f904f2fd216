// One read: open the file, tell what it is, and show it in the way of its kind, unless the model has just seen the same.
import type { CallContext, ConfinedFile, FileSnapshot, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { digestBytes, digestFile } from '../../src/workspace/content/digest.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import { namedFile, speakOf } from '../../src/workspace/content/speak-of.ts';
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
  const named = namedFile(input.file_path, context);
  const asked = { shown: named.shown, range: rangeOf(input) };
  return speakOf(named, () => context.files.withFile(named.path, (file) => readOpen(file, asked, context)));
}

function rangeOf({ offset, limit, pages }: ReadInput): Range {
  return { offset: Math.max(1, offset ?? 1), limit: limit ?? DEFAULT_LINES, ...(pages !== undefined && { pages }) };
}

async function readOpen(
  file: ConfinedFile,
  { shown, range }: { shown: string; range: Range },
  { files, signal }: CallContext,
): Promise<ToolResult> {
  const whole = file.stats.size <= WHOLE_BYTES ? await readBytes(file, WHOLE_BYTES) : null;
  const hash = whole ? digestBytes(whole) : await digestFile(file.handle);
  if (isSameRead(files.remembered(file.path), range, hash)) return { content: UNCHANGED };
  const { content, extent } = await show({ path: shown, file, whole }, range, signal);
  // What a stopped call would have shown never reaches the model.
  if (extent !== 'nothing' && !signal.aborted) {
    files.remember(file.path, { hash, mtimeMs: file.stats.mtimeMs, size: file.stats.size, range, whole: extent === 'whole' });
  }
  return { content };
}

interface Source {
  /** As messages call the file. */
  readonly path: string;
  readonly file: ConfinedFile;
  /** All bytes of a file that is small enough. */
  readonly whole: Buffer | null;
}

async function show({ path, file, whole }: Source, range: Range, signal: AbortSignal): Promise<Shown> {
  const head = whole?.subarray(0, HEAD_BYTES) ?? (await readBytes(file, HEAD_BYTES));
  const kind = await kindOfFile(file.path, head, head.length === file.stats.size);
  if (kind.kind === 'binary') throw new FileError('not_a_file', `${path} is a binary file (${kind.type}): it cannot be shown as text.`);
  if (kind.kind !== 'pdf' && range.pages !== undefined) {
    throw new FileError('io', `${path} is not a PDF and has no pages: leave pages out. Lines are chosen by offset and limit.`);
  }
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
