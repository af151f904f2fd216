// Reads what ripgrep prints with `--null`: a path, NUL, `12:text` or `12-text` or a count, and a line end. Its threads finish
// files in any order, so the lines are put back into path order here, which costs less than letting one thread search.

/** What ripgrep is told to print between two groups of context: a record without path and text. */
export const CONTEXT_BREAK = String.raw`\x00`;

/** What stands between two groups of context for the model. No line of a file looks like it: those begin with a number. */
const BREAK = '--';

/** The only lines without NUL: what ripgrep says of a file in which it met one. */
const BINARY_NOTE = /^([^\0\n]+): (binary file matches|WARNING: stopped searching binary file after match) \(found .*\)$/gm;

/** A file and the text of every line that was printed of it. */
export type PrintedFile = readonly [path: string, texts: readonly string[]];

/** What was printed, in path order. A last line that was cut off is left out. */
export function printedFiles(stdout: string): PrintedFile[] {
  const files = new Map<string, string[]>();
  const text = stdout.replaceAll(BINARY_NOTE, '$1\0$2');
  let last = '';
  let pendingBreak = false;
  for (let at = 0; at < text.length;) {
    const pathEnd = text.indexOf('\0', at);
    const lineEnd = text.indexOf('\n', pathEnd);
    if (pathEnd === -1 || lineEnd === -1) break;
    const path = text.slice(at, pathEnd);
    if (path !== '') {
      const texts = files.get(path) ?? [];
      if (pendingBreak && path === last) texts.push(BREAK);
      texts.push(text.slice(pathEnd + 1, text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd));
      files.set(path, texts);
      last = path;
    }
    pendingBreak = path === '';
    at = lineEnd + 1;
  }
  return [...files].toSorted(([left], [right]) => (left < right ? -1 : 1));
}

export interface ContentOptions {
  readonly show: (path: string) => string;
  readonly lineNumbers: boolean;
  /** True when lines around matches are shown, so that groups need a mark between them. */
  readonly withContext: boolean;
}

/** Matching lines as `path:12:text`, those around them as `path-12-text`. */
export function contentLines(files: readonly PrintedFile[], options: ContentOptions): string[] {
  const lines: string[] = [];
  for (const [path, texts] of files) {
    const shown = options.show(path);
    if (options.withContext && lines.length > 0) lines.push(BREAK);
    for (const text of texts) lines.push(text === BREAK ? BREAK : contentLine(shown, text, options.lineNumbers));
  }
  return lines;
}

function contentLine(path: string, text: string, lineNumbers: boolean): string {
  const [, number, mark, line] = /^(\d+)([:-])(.*)$/s.exec(text) ?? [];
  if (number === undefined || mark === undefined)
    return `${path}: ${text.startsWith('WARNING') ? 'the rest of this binary file was not searched' : text}`;
  return lineNumbers ? `${path}${mark}${number}${mark}${line}` : `${path}${mark}${line}`;
}

/** Matching lines of each file. */
export function countsByPath(files: readonly PrintedFile[]): { path: string; count: number }[] {
  return files.map(([path, [count]]) => ({ path, count: Number(count) }));
}
