// Lines of other files than the one that was asked about. A server that was led astray may name any file: they are read where
// the session's commands run, in which what a rule denies cannot be read.
import type { CallContext, CodePlace } from '../../src/contract/index.ts';
import { SEARCH_ENV } from '../../src/search/ripgrep.ts';

/** Files whose lines are shown; of further ones the places alone. */
const MAX_FILES = 50;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 500_000;

/** Pairs of a path and a script for sed; each file's lines end with a NUL, which is taken out of the lines themselves. */
const PRINT = String.raw`while [ $# -gt 1 ]; do
  [ -f "$1" ] && [ ! -L "$1" ] && sed -n -e "$2" -- "$1" 2>/dev/null | tr -d '\000' | cut -b -1000
  printf '\000'
  shift 2
done`;

/** By path and line number. A line that may not, or cannot, be read is not there. */
export type ShownLines = ReadonlyMap<string, ReadonlyMap<number, string>>;

export async function linesElsewhere(places: readonly CodePlace[], context: CallContext): Promise<ShownLines> {
  const wanted = Map.groupBy(places, ({ path }) => path);
  const files = await Promise.all([...wanted].slice(0, MAX_FILES).map(([path, found]) => readable(path, linesOf(found), context)));
  const inside = files.filter((file) => file !== undefined);
  if (inside.length === 0) return new Map();
  const { stdout } = await context.commands.exec({
    file: 'sh',
    args: ['-c', PRINT, 'sh', ...inside.flatMap(({ real, lines }) => [real, scriptFor(lines)])],
    cwd: '/',
    env: SEARCH_ENV,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_BYTES,
    signal: context.signal,
  });
  const printed = stdout.split('\0');
  return new Map(inside.map(({ path, lines }, index) => [path, paired(lines, printed[index] ?? '')]));
}

interface WantedLines {
  readonly path: string;
  readonly real: string;
  readonly lines: readonly number[];
}

/** `undefined` for what lies outside of the session's directories. */
async function readable(path: string, lines: number[], { files }: CallContext): Promise<WantedLines | undefined> {
  try {
    const { path: real, kind } = await files.confine(path);
    return kind === 'file' ? { path, real, lines } : undefined;
  } catch {
    // The place is told all the same, without its text.
    return undefined;
  }
}

function linesOf(places: readonly CodePlace[]): number[] {
  return [...new Set(places.map(({ line }) => line))].toSorted((one, other) => one - other);
}

/** Ends after the last one: what follows is not read. */
function scriptFor(lines: readonly number[]): string {
  return [...lines.map((line) => `${line}p`), `${lines.at(-1) ?? 1}q`].join(';');
}

function paired(lines: readonly number[], printed: string): Map<number, string> {
  const texts = printed.split('\n').slice(0, -1);
  return new Map(lines.slice(0, texts.length).map((line, index) => [line, texts[index] ?? '']));
}
