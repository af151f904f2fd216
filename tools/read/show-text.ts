// Text as numbered lines. Small files are in memory already; of large ones the range is streamed.
import { isUtf8 } from 'node:buffer';
import type { ConfinedFile } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { readChunks } from '../../src/workspace/content/read-bytes.ts';
import type { TextEncoding } from '../../src/workspace/content/text-encoding.ts';
import type { LineRange } from './line-range.ts';
import { linesOfBytes, linesOfChunks } from './line-range.ts';
import type { Range, Shown } from './shown.ts';
import { count } from './shown.ts';

export interface TextSource {
  readonly path: string;
  readonly file: ConfinedFile;
  /** The file's bytes from its start: all of them, or a sample. */
  readonly bytes: Buffer;
  /** Whether `bytes` is the whole file. */
  readonly complete: boolean;
}

/** @throws FileError when the file turns out to be no text. */
export async function showText(source: TextSource, range: Range, signal: AbortSignal): Promise<Shown> {
  const { bytes, complete } = source;
  const encoding = detectEncoding(bytes, { complete });
  if (!encoding) throw new FileError('not_a_file', `${source.path} is a binary file (it holds NUL bytes): it cannot be shown as text.`);
  const found = await readRange(source, encoding, { ...range, signal });
  const notes = encodingNotes(encoding, complete && bytes);
  if (found.total === 0) return { content: 'The file exists but is empty.', extent: 'whole' };
  if (found.lines.length === 0) {
    const lines = `${count(found.total ?? 0)} ${found.total === 1 ? 'line' : 'lines'}`;
    return { content: `Offset ${count(range.offset)} is past the end: the file has ${lines}.`, extent: 'nothing' };
  }
  const last = range.offset + found.lines.length - 1;
  const whole = range.offset === 1 && last === found.total;
  if (!whole) notes.unshift(partialNote(range.offset, last, found.total));
  const body = found.lines.map((line, index) => `${range.offset + index}\t${line}`).join('\n');
  return { content: [body, ...notes].join('\n\n'), extent: whole && !found.cut ? 'whole' : 'part' };
}

async function readRange(source: TextSource, encoding: TextEncoding, range: Range & { signal: AbortSignal }): Promise<LineRange> {
  const { bytes, complete } = source;
  const wanted = { encoding, lineEnd: lineEndOf(bytes, encoding), offset: range.offset, limit: range.limit };
  if (complete) return linesOfBytes(bytes.subarray(encoding.bom.length), wanted);
  return linesOfChunks(untilStopped(source, encoding.bom.length, range.signal), wanted);
}

async function* untilStopped({ file, path }: TextSource, from: number, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of readChunks(file.handle, from)) {
    if (signal.aborted) throw new FileError('io', `Reading ${path} was stopped.`);
    yield chunk;
  }
}

/** A lone CR ends lines only where nothing else does. */
function lineEndOf(bytes: Buffer, encoding: TextEncoding): '\n' | '\r' {
  if (bytes.includes(encoding.lineFeed) || !bytes.includes(0x0d)) return '\n';
  const units = encoding.toUnits(bytes.subarray(encoding.bom.length));
  return units.includes('\n') || !units.includes('\r') ? '\n' : '\r';
}

function partialNote(first: number, last: number, total: number | null): string {
  const shown = `lines ${count(first)} to ${count(last)}${total === null ? '' : ` of ${count(total)}`}`;
  const more = last === total ? '' : ` Read on with offset ${last + 1}.`;
  return `[Partial: these are ${shown}.${more}]`;
}

function encodingNotes(encoding: TextEncoding, whole: Buffer | false): string[] {
  if (!encoding.name.startsWith('UTF-8')) return [`[The file is in ${encoding.name}.]`];
  return whole && !isUtf8(whole) ? ['[The file holds bytes that are not valid UTF-8; they show as \uFFFD.]'] : [];
}
