// One write: look at what is there, ask whether the model has seen it, and put the new file in its place. The first half of
// that is also what a write says of itself before it begins.
import { relative } from 'node:path';
import type { CallContext, FileSnapshot, Intent, ProbeAnswer, ProbeContext, SessionFiles, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { shownPath } from '../../src/workspace/content/show-path.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { DIFFED_CHARS, fileDiff } from '../../src/workspace/content/file-diff.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import { findReplacement, replacementIntent } from '../../src/workspace/content/replacement.ts';
import { namedFile, speakOf, type NamedFile } from '../../src/workspace/content/speak-of.ts';
import type { TextEncoding } from '../../src/workspace/content/text-encoding.ts';
import { UTF8 } from '../../src/workspace/content/text-encoding.ts';

export interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

export interface WriteOutput {
  /** Absolute real path. */
  readonly path: string;
  readonly kind: 'created' | 'updated';
  /** Unified diff; `null` when it is too large to draw or the former file was no text. */
  readonly diff: string | null;
}

/** @throws FileError when the file cannot be used, exists unread, or has changed since it was read. */
export async function writeFile(input: WriteInput, context: CallContext): Promise<ToolResult<WriteOutput>> {
  const named = namedFile(input.file_path, context);
  return speakOf(named, () => writeNamed(named, input, context));
}

/** What the file is and will be; nothing is written. @throws FileError as {@link writeFile} */
export async function writeIntent(input: WriteInput, context: CallContext): Promise<Intent> {
  const { expectedHash: before, ...planned } = await planWrite(namedFile(input.file_path, context), input, context);
  return replacementIntent({ ...planned, before, said: sentence(planned, context) });
}

/** Whether an interrupted write is done. Without an intent it goes by the rules of every other write. @throws FileError */
export async function probeWrite(_input: WriteInput, { files, intent }: ProbeContext): Promise<ProbeAnswer<WriteOutput>> {
  if (intent === undefined) return { kind: 'not_applied' };
  const outputOf = (path: string, { before }: Intent): WriteOutput => ({ path, kind: before === null ? 'created' : 'updated', diff: null });
  return findReplacement({ files, intent, writesAll: true, outputOf });
}

async function writeNamed(named: NamedFile, input: WriteInput, context: CallContext): Promise<ToolResult<WriteOutput>> {
  const { files, workspace } = context;
  const planned = await planWrite(named, input, context);
  const { bytes, expectedHash, former, content } = planned;
  const { path, ...written } = await files.write({ path: planned.path, bytes, expectedHash });
  files.remember(path, { ...written, whole: true });
  const before = former === null ? '' : former.text;
  const diff = before === null ? null : fileDiff(relative(workspace, path), before, content);
  return { content: sentence({ ...planned, path }, context), output: { path, kind: former === null ? 'created' : 'updated', diff } };
}

interface PlannedWrite {
  /** Absolute; real where there is a file. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly expectedHash: string | null;
  readonly seen?: FileSnapshot;
  /** `null` where there is no file. */
  readonly former: FormerText | null;
  /** Of the file as it will be. */
  readonly content: string;
  /** For the model. */
  readonly notes: readonly string[];
}

async function planWrite({ path, shown }: NamedFile, input: WriteInput, { files }: CallContext): Promise<PlannedWrite> {
  const present = await files.look(path);
  if (!present) return { ...encode(input.content, UTF8), path, expectedHash: null, former: null };
  const seen = files.remembered(present.path);
  if (!seen) throw new FileError('exists', `${shown} exists and has not been read in this session. Read it first, then write it.`);
  if (seen.hash !== present.hash) throw new FileError('changed', `${shown} has changed since it was read. Read it again, then write it.`);
  const former = await formerText(files, present.path);
  const encoded = encode(input.content, former.encoding ?? UTF8);
  const notes = seen.whole ? encoded.notes : [...encoded.notes, 'Only a part of what it held before had been read.'];
  return { ...encoded, path: present.path, expectedHash: present.hash, seen, former, notes };
}

type ToldWrite = Pick<PlannedWrite, 'path' | 'former' | 'content' | 'notes'>;

function sentence({ path, former, content, notes }: ToldWrite, { state }: CallContext): string {
  const did = former === null ? 'Created' : 'Updated';
  return [`${did} ${shownPath(path, state.cwd)}: ${lineCount(content)}.`, ...notes].join('\n');
}

interface FormerText {
  /** `null` when the file was no text. */
  readonly encoding: TextEncoding | null;
  /** The whole text; `null` when it is no text or too long to compare. */
  readonly text: string | null;
}

async function formerText(files: SessionFiles, path: string): Promise<FormerText> {
  return files.withFile(path, async (file) => {
    const bytes = await readBytes(file, 4 * DIFFED_CHARS);
    const complete = bytes.length === file.stats.size;
    const encoding = detectEncoding(bytes, { complete });
    return { encoding, text: encoding && complete ? encoding.decode(bytes.subarray(encoding.bom.length)) : null };
  });
}

interface Encoded {
  readonly bytes: Buffer;
  readonly content: string;
  readonly notes: readonly string[];
}

/** The content in the encoding that the file has, or in UTF-8 where that cannot hold it. */
function encode(given: string, kept: TextEncoding): Encoded {
  const content = kept.bom.length > 0 ? given.replace(/^\uFEFF/, '') : given;
  const own = kept.encode(content);
  const encoding = own ? kept : UTF8;
  const bytes = Buffer.concat([encoding.bom, own ?? Buffer.from(content, 'utf8')]);
  const note = own
    ? `It is ${encoding.name}, as before.`
    : `It is now UTF-8: its former encoding, ${kept.name}, cannot hold the new content.`;
  return { bytes, content, notes: kept === UTF8 ? [] : [note] };
}

function lineCount(content: string): string {
  const lines = content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0);
  return `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}`;
}
