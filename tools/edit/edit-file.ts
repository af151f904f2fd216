// One edit: read the file as it is now, find the text in its bytes, splice, and put the result in its place if the file
// is still the one that was read a moment ago.
import { relative } from 'node:path';
import type { CallContext, SessionFiles, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { shownPath } from '../../src/search/show-path.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { digestBytes, HASHED_BYTES } from '../../src/workspace/content/digest.ts';
import { DIFFED_CHARS, fileDiff } from '../../src/workspace/content/file-diff.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import type { NamedFile } from '../../src/workspace/content/speak-of.ts';
import { speakOf } from '../../src/workspace/content/speak-of.ts';
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

interface LoadedFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly hash: string;
}

const CHANGED_NOTE =
  'The file had changed since it was read; old_string still stood in it exactly once, so the edit was applied to the file as it is now. Read it again before you change more.';

/** @throws FileError when the file cannot be used, was not read, or changes while it is being edited. */
export async function editFile(input: EditInput, context: CallContext): Promise<ToolResult<EditOutput>> {
  const path = context.files.absolute(input.file_path, context.state.cwd);
  const named = { path, shown: shownPath(path, context.state.cwd) };
  return speakOf(named, () => (input.old_string === '' ? createFile(named, input, context) : changeFile(named, input, context)));
}

async function changeFile({ path, shown }: NamedFile, input: EditInput, context: CallContext): Promise<ToolResult<EditOutput>> {
  const { files } = context;
  const file = await load(files, path);
  const seen = files.remembered(file.path);
  if (!seen) throw new FileError('exists', `${shown} has not been read in this session. Read it first, then edit it.`);
  const changed = seen.hash !== file.hash;
  const edited = apply(file, input, { path: shown, changed });
  if ('refused' in edited) return { content: edited.refused, isError: true };
  const written = await files.write({ path: file.path, bytes: edited.bytes, expectedHash: file.hash });
  // After a change that nobody showed to the model, it still knows only what it read.
  const known = changed ? seen : written;
  files.remember(file.path, { hash: known.hash, mtimeMs: known.mtimeMs, size: known.size, whole: seen.whole });
  const sentence = `Updated ${shownPath(written.path, context.state.cwd)}: ${edited.count} ${edited.count === 1 ? 'replacement' : 'replacements'}.`;
  return {
    content: changed ? `${sentence}\n${CHANGED_NOTE}` : sentence,
    output: { path: written.path, diff: drawDiff(relative(context.workspace, written.path), file.bytes, edited) },
  };
}

async function createFile({ path, shown }: NamedFile, input: EditInput, context: CallContext): Promise<ToolResult<EditOutput>> {
  const present = await context.files.look(path);
  if (present && present.size > 0) {
    throw new FileError('exists', `${shown} already exists and is not empty. Give the text to replace as old_string.`);
  }
  const bytes = UTF8.encode(input.new_string);
  if (!bytes) return { content: unsayable(shown, UTF8, input.new_string), isError: true };
  const { path: real, ...written } = await context.files.write({ path, bytes, expectedHash: present?.hash ?? null });
  context.files.remember(real, { ...written, whole: true });
  return {
    content: `${present ? 'Updated' : 'Created'} ${shownPath(real, context.state.cwd)}.`,
    output: { path: real, diff: fileDiff(relative(context.workspace, real), '', input.new_string) },
  };
}

async function load(files: SessionFiles, path: string): Promise<LoadedFile> {
  return files.withFile(path, async (file) => {
    if (file.stats.size > HASHED_BYTES) {
      throw new FileError('io', `${path} is larger than ${HASHED_BYTES / 1024 / 1024} MiB, too large to edit. Change it with a command.`);
    }
    const bytes = await readBytes(file, HASHED_BYTES);
    return { path: file.path, bytes, hash: digestBytes(bytes) };
  });
}

interface Edited {
  readonly encoding: TextEncoding;
  readonly bytes: Buffer;
  readonly count: number;
}

function apply(file: LoadedFile, input: EditInput, { path, changed }: { path: string; changed: boolean }): Edited | { refused: string } {
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
