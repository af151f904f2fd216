// The text of the file that is asked about, and its lines as language servers count them.
import type { CallContext } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { readBytes } from '../../src/workspace/content/read-bytes.ts';
import { namedFile, speakOf } from '../../src/workspace/content/speak-of.ts';

/** Bytes of a file that a server is given. */
const MAX_MIB = 4;
const MAX_BYTES = MAX_MIB * 1024 * 1024;

export interface CodeText {
  /** Absolute real path. */
  readonly path: string;
  readonly shown: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** @throws FileError when the file cannot be read, is too large or no text */
export async function readCode(file_path: string, context: CallContext): Promise<CodeText> {
  const named = namedFile(file_path, context);
  const { shown } = named;
  return speakOf(named, () =>
    context.files.withFile(named.path, async (file) => {
      if (file.stats.size > MAX_BYTES) throw new FileError('io', `${shown} has more than ${MAX_MIB} MiB, too much to ask about: use Grep.`);
      const bytes = await readBytes(file, MAX_BYTES);
      const encoding = detectEncoding(bytes);
      if (encoding === null) throw new FileError('not_a_file', `${shown} is a binary file: give the path of source code.`);
      const text = encoding.decode(bytes.subarray(encoding.bom.length));
      return { path: file.path, shown, text, lines: text.split(/\r\n|\n|\r/) };
    }),
  );
}

/** @throws Error for a place that is not in the text */
export function checkPlace(
  { shown, lines }: CodeText,
  { line = 1, character = 1 }: { line?: number | undefined; character?: number | undefined },
): void {
  const text = lines[line - 1];
  if (text === undefined) throw new Error(`Line ${line} is past the end of ${shown}, which has ${counted(lines.length, 'line')}.`);
  if (character > text.length + 1) {
    throw new Error(`Character ${character} is past the end of line ${line} of ${shown}, which has ${counted(text.length, 'character')}.`);
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
