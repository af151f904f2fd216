// One edit of a notebook: read it as it is now, change the text of one cell, and put the result in its place if the file
// is still the one that the model has read.
import { FileError, type CallContext, type SessionFiles, type ToolResult } from '../../src/contract/index.ts';
import { shownPath } from '../../src/search/show-path.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { digestBytes } from '../../src/workspace/content/digest.ts';
import { fileDiff } from '../../src/workspace/content/file-diff.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import { speakOf } from '../../src/workspace/content/speak-of.ts';
import { isFaithful } from '../../src/workspace/content/text-encoding.ts';
import { styleOf } from './json-style.ts';
import { putTogether, takeApart, type Part } from './json-text.ts';
import { parseNotebook } from './notebook.ts';
import { changeCells, type Change, type NotebookEditInput } from './plan-change.ts';

/** Bytes of a notebook that can be edited. */
const NOTEBOOK_BYTES = 32 * 1024 * 1024;

export interface NotebookEditOutput {
  /** Absolute real path. */
  readonly path: string;
  /** Name of the cell. */
  readonly cell: string;
  /** Unified diff of the cell's source; `null` when it is too large to draw. */
  readonly diff: string | null;
}

/** @throws FileError when the notebook cannot be used, was not read, or has changed since */
export async function editNotebook(input: NotebookEditInput, context: CallContext): Promise<ToolResult<NotebookEditOutput>> {
  const path = context.files.absolute(input.notebook_path, context.state.cwd);
  const shown = shownPath(path, context.state.cwd);
  return speakOf({ path, shown }, () => editFile(path, input, context));
}

async function editFile(path: string, input: NotebookEditInput, { files, state }: CallContext): Promise<ToolResult<NotebookEditOutput>> {
  const file = await load(files, path);
  const seen = files.remembered(file.path);
  if (!seen) throw new FileError('exists', `${path} has not been read in this session. Read it first, then edit it.`);
  if (seen.hash !== file.hash) throw new FileError('changed', `${path} has changed since it was read. Read it again, then edit it.`);
  const shown = shownPath(file.path, state.cwd);
  const edited = edit(file.bytes, input);
  if ('refused' in edited) return { content: `${shown} ${edited.refused}`, isError: true };
  if ('missing' in edited) return { content: edited.missing, isError: true };
  const { change, bytes } = edited;
  const output = { path: file.path, cell: change.cell, diff: fileDiff(`${shown}#${change.cell}`, change.before, change.after) };
  if (bytes === null) return { content: `Cell ${change.cell} of ${shown} already holds exactly this: nothing was written.`, output };
  const { path: real, ...written } = await files.write({ path: file.path, bytes, expectedHash: file.hash });
  files.remember(real, { ...written, whole: seen.whole });
  return { content: [`${change.did} ${shown}.`, ...change.notes].join(' '), output };
}

async function load(files: SessionFiles, path: string): Promise<{ path: string; bytes: Buffer; hash: string }> {
  return files.withFile(path, async (file) => {
    if (file.stats.size > NOTEBOOK_BYTES) {
      throw new FileError('io', `${path} is larger than ${NOTEBOOK_BYTES / 1024 / 1024} MiB, too large to edit. Change it with a command.`);
    }
    const bytes = await readBytes(file, NOTEBOOK_BYTES);
    return { path: file.path, bytes, hash: digestBytes(bytes) };
  });
}

/** `refused`: what is wrong with the file, `missing`: with the call. */
type Edited = { readonly change: Change; readonly bytes: Buffer | null } | { readonly refused: string } | { readonly missing: string };

function edit(bytes: Buffer, input: NotebookEditInput): Edited {
  const encoding = detectEncoding(bytes);
  const body = bytes.subarray(encoding?.bom.length ?? 0);
  if (!encoding || !isFaithful(encoding, body)) return { refused: 'is not a text file throughout, so it cannot be edited as a notebook.' };
  const text = encoding.decode(body);
  const notebook = parseNotebook(text);
  if (typeof notebook === 'string') return { refused: notebook };
  const inner = text.trim();
  const root = takeApart(inner);
  const list = root.parts.findLast(({ key }) => key === 'cells') as Part;
  const own = styleOf(root, text);
  const style = { ...own, ascii: own.ascii || encoding.encode(input.new_source ?? '') === null };
  const change = changeCells({ notebook, cells: takeApart(list.value), listLead: list.lead, style }, input);
  if (typeof change === 'string') return { missing: change };
  if (change.cells === null) return { change, bytes: null };
  const parts = root.parts.map((part) => (part === list ? { ...part, value: change.cells ?? part.value } : part));
  const begin = text.indexOf(inner);
  const whole = text.slice(0, begin) + putTogether({ ...root, parts }) + text.slice(begin + inner.length);
  const encoded = encoding.encode(whole);
  return encoded
    ? { change, bytes: Buffer.concat([encoding.bom, encoded]) }
    : { refused: `cannot hold the new source in ${encoding.name}.` };
}
