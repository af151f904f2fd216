// One edit: read the file as it is now, find the text in its bytes, splice, and put the result in its place if the file
// is still the one that was read a moment ago. All but the last step is also what an edit says of itself before it begins.
import { relative } from 'node:path';
import type { CallContext, FileSnapshot, Intent, ProbeAnswer, ProbeContext, SessionFiles, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { shownPath } from '../../src/workspace/content/show-path.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { HASHED_BYTES } from '../../src/workspace/content/digest.ts';
import { DIFFED_CHARS, fileDiff } from '../../src/workspace/content/file-diff.ts';
import { readWhole, type WholeFile } from '../../src/workspace/content/read-whole.ts';
import { findReplacement, replacementIntent } from '../../src/workspace/content/replacement.ts';
import { namedFile, speakOf, type NamedFile } from '../../src/workspace/content/speak-of.ts';
import type { TextEncoding } from '../../src/workspace/content/text-encoding.ts';
import { UTF8 } from '../../src/workspace/content/text-encoding.ts';
import { ambiguous, notFound, unsayable } from './refusals.ts';
import { replaceFound, search } from './splice.ts';

/** Places that one call replaces: more would hold the event loop for too long. */
const MAX_REPLACEMENTS = 100_000;

export interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export interface EditOutput {
  /** Absolute real path. */
  readonly path: string;
  /** Unified diff; `null` when it is too large to draw. */
  readonly diff: string | null;
}

const CHANGED_NOTE =
  'The file had changed since it was read; old_string still stood in it exactly once, so the edit was applied to the file as it is now. Read it again before you change more.';

/** @throws FileError when the file cannot be used, was not read, or changes while it is being edited. */
export async function editFile(input: EditInput, context: CallContext): Promise<ToolResult<EditOutput>> {
  const named = namedFile(input.file_path, context);
  return speakOf(named, async () => {
    const planned = await planEdit(named, input, context.files);
    return 'refused' in planned ? { content: planned.refused, isError: true } : put(planned, context);
  });
}

/** What the file is and will be; nothing is written. @throws FileError as {@link editFile} */
export async function editIntent(input: EditInput, context: CallContext): Promise<Intent | undefined> {
  const planned = await planEdit(namedFile(input.file_path, context), input, context.files);
  return 'refused' in planned ? undefined : replacementIntent({ ...planned, said: sentence(planned, context) });
}

/** Whether an interrupted edit is done. @throws FileError */
export async function probeEdit(_input: EditInput, { files, intent }: ProbeContext): Promise<ProbeAnswer<EditOutput>> {
  return findReplacement({ files, intent, outputOf: (path) => ({ path, diff: null }) });
}

interface PlannedEdit {
  /** Absolute; real where there is a file. */
  readonly path: string;
  /** Digest of the file; `null` where there is none. */
  readonly before: string | null;
  readonly bytes: Buffer;
  /** Absent where a file is made. */
  readonly seen?: FileSnapshot;
  /** `null` where a file is made. */
  readonly count: number | null;
  /** Unified diff, drawn when it is asked for. */
  readonly draw: (shown: string) => string | null;
}

function planEdit(named: NamedFile, input: EditInput, files: SessionFiles): Promise<PlannedEdit | { refused: string }> {
  return input.old_string === '' ? planNew(named, input, files) : planChange(named, input, files);
}

async function planChange({ path, shown }: NamedFile, input: EditInput, files: SessionFiles): Promise<PlannedEdit | { refused: string }> {
  const file = await readWhole(files, path, HASHED_BYTES);
  const seen = files.remembered(file.path);
  if (!seen) throw new FileError('exists', `${shown} has not been read in this session. Read it first, then edit it.`);
  const edited = apply(file, input, { path: shown, changed: seen.hash !== file.hash });
  if ('refused' in edited) return edited;
  const { bytes, count } = edited;
  return { path: file.path, before: file.hash, bytes, seen, count, draw: (name) => drawDiff(name, file.bytes, edited) };
}

async function planNew({ path, shown }: NamedFile, input: EditInput, files: SessionFiles): Promise<PlannedEdit | { refused: string }> {
  const present = await files.look(path);
  if (present && present.size > 0) {
    throw new FileError('exists', `${shown} already exists and is not empty. Give the text to replace as old_string.`);
  }
  const bytes = UTF8.encode(input.new_string);
  if (!bytes) return { refused: unsayable(shown, UTF8, input.new_string) };
  return { path, before: present?.hash ?? null, bytes, count: null, draw: (name) => fileDiff(name, '', input.new_string) };
}

async function put(planned: PlannedEdit, context: CallContext): Promise<ToolResult<EditOutput>> {
  const { before, bytes, seen, draw } = planned;
  const { path, ...written } = await context.files.write({ path: planned.path, bytes, expectedHash: before });
  // After a change that nobody showed to the model, it still knows only what it read.
  const { hash, mtimeMs, size } = seen !== undefined && seen.hash !== before ? seen : written;
  context.files.remember(path, { hash, mtimeMs, size, whole: seen?.whole ?? true });
  return { content: sentence({ ...planned, path }, context), output: { path, diff: draw(relative(context.workspace, path)) } };
}

function sentence({ path, before, seen, count }: Omit<PlannedEdit, 'bytes' | 'draw'>, { state }: CallContext): string {
  const shown = shownPath(path, state.cwd);
  if (count === null) return `${before === null ? 'Created' : 'Updated'} ${shown}.`;
  const did = `Updated ${shown}: ${count} ${count === 1 ? 'replacement' : 'replacements'}.`;
  return seen?.hash === before ? did : `${did}\n${CHANGED_NOTE}`;
}

interface Edited {
  readonly encoding: TextEncoding;
  readonly bytes: Buffer;
  readonly count: number;
}

function apply(file: WholeFile, input: EditInput, { path, changed }: { path: string; changed: boolean }): Edited | { refused: string } {
  const encoding = detectEncoding(file.bytes);
  if (!encoding) return { refused: `${path} is not a text file (it holds NUL bytes), so it cannot be edited.` };
  const body = file.bytes.subarray(encoding.bom.length);
  const original = encoding.toUnits(body);
  const replacement = inUnits(encoding, input.new_string);
  if (replacement === null) return { refused: unsayable(path, encoding, input.new_string) };
  const wanted = inUnits(encoding, input.old_string);
  const found = wanted === null ? null : search(original, wanted);
  if (wanted === null || !found || found.starts.length === 0) return { refused: notFound({ path, encoding, body, input, changed }) };
  const replaceAll = input.replace_all === true;
  if (changed && (replaceAll || !found.unique)) {
    throw new FileError('changed', `${path} has changed since it was read. Nothing was written: read it again.`);
  }
  if (!replaceAll && !found.unique) return { refused: ambiguous(path, found) };
  if (found.starts.length > MAX_REPLACEMENTS)
    return { refused: `old_string stands in ${path} ${found.starts.length} times, more than one call replaces: use a command.` };
  const growth = found.starts.length * (replacement.length - wanted.length);
  if (original.length + growth > HASHED_BYTES) return { refused: `The edited ${path} would be too large. Replace less at once.` };
  const bytes = Buffer.concat([encoding.bom, encoding.fromUnits(replaceFound(original, found, { wanted, replacement }))]);
  return { encoding, bytes, count: found.starts.length };
}

function drawDiff(path: string, before: Buffer, { encoding, bytes }: Edited): string | null {
  const text = (whole: Buffer): string => encoding.decode(whole.subarray(encoding.bom.length));
  // Four bytes hold at least one character, so what is longer could not be drawn anyway.
  return Math.max(before.length, bytes.length) > 4 * DIFFED_CHARS ? null : fileDiff(path, text(before), text(bytes));
}

function inUnits(encoding: TextEncoding, text: string): string | null {
  const bytes = encoding.encode(text);
  return bytes && encoding.toUnits(bytes);
}
