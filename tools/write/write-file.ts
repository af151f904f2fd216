// One write: look at what is there, ask whether the model has seen it, and put the new file in its place.
import { relative } from 'node:path';
import type { CallContext, SessionFiles, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { shownPath } from '../../src/search/show-path.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { DIFFED_CHARS, fileDiff } from '../../src/workspace/content/file-diff.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import type { NamedFile } from '../../src/workspace/content/speak-of.ts';
import { speakOf } from '../../src/workspace/content/speak-of.ts';
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
  const path = context.files.absolute(input.file_path, context.state.cwd);
  const named = { path, shown: shownPath(path, context.state.cwd) };
  return speakOf(named, () => writeNamed(named, input, context));
}

async function writeNamed({ path, shown }: NamedFile, input: WriteInput, context: CallContext): Promise<ToolResult<WriteOutput>> {
  const { files } = context;
  const present = await files.look(path);
  if (!present) return report(await put(files, { path, content: input.content, former: null, expectedHash: null }), context);
  const seen = files.remembered(present.path);
  if (!seen) throw new FileError('exists', `${shown} exists and has not been read in this session. Read it first, then write it.`);
  if (seen.hash !== present.hash) throw new FileError('changed', `${shown} has changed since it was read. Read it again, then write it.`);
  const former = await formerText(files, present.path);
  const done = await put(files, { path: present.path, content: input.content, former, expectedHash: present.hash });
  const notes = seen.whole ? [] : ['Only a part of what it held before had been read.'];
  return report({ ...done, notes: [...done.notes, ...notes] }, context);
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

interface Done {
  readonly path: string;
  readonly kind: WriteOutput['kind'];
  readonly content: string;
  readonly before: string | null;
  readonly notes: readonly string[];
}

async function put(
  files: SessionFiles,
  request: { path: string; content: string; former: FormerText | null; expectedHash: string | null },
): Promise<Done> {
  const { former, expectedHash } = request;
  const kept = former?.encoding ?? UTF8;
  const content = kept.bom.length > 0 ? request.content.replace(/^\uFEFF/, '') : request.content;
  const own = kept.encode(content);
  const encoding = own ? kept : UTF8;
  const bytes = Buffer.concat([encoding.bom, own ?? Buffer.from(content, 'utf8')]);
  const { path, ...written } = await files.write({ path: request.path, bytes, expectedHash });
  files.remember(path, { ...written, whole: true });
  const note = own
    ? `It is ${encoding.name}, as before.`
    : `It is now UTF-8: its former encoding, ${kept.name}, cannot hold the new content.`;
  return {
    path,
    kind: expectedHash === null ? 'created' : 'updated',
    content,
    before: former ? former.text : '',
    notes: kept === UTF8 ? [] : [note],
  };
}

function report({ path, kind, content, before, notes }: Done, context: CallContext): ToolResult<WriteOutput> {
  const sentence = `${kind === 'created' ? 'Created' : 'Updated'} ${shownPath(path, context.state.cwd)}: ${lineCount(content)}.`;
  const diff = before === null ? null : fileDiff(relative(context.workspace, path), before, content);
  return { content: [sentence, ...notes].join('\n'), output: { path, kind, diff } };
}

function lineCount(content: string): string {
  const lines = content.split('\n').length - (content.endsWith('\n') || content === '' ? 1 : 0);
  return `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}`;
}
