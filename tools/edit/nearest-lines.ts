// Shows where a text that was not found may have been meant, so that the next try can copy what really stands there.
import { foldText } from './folded-text.ts';

/** Lines of a file that are compared, and characters of each. */
const MAX_LINES = 20_000;
const MAX_LINE_CHARS = 400;
/** Lines shown at most. */
const SHOWN_LINES = 12;
/** Likeness, from 0 to 1, below which lines have nothing to do with each other. */
const LIKE = 0.4;

/** Numbered lines of `text` around the one most like the longest line of `wanted`; `null` when none is like it. */
export function nearestLines(text: string, wanted: string): string | null {
  const wantedLines = foldText(wanted).text.split('\n');
  const anchor = longest(wantedLines);
  const target = bare(wantedLines[anchor] ?? '');
  const pairs = pairsOf(target);
  const lines = foldText(text).text.split('\n', MAX_LINES);
  let best = { index: -1, score: LIKE };
  for (const [index, line] of lines.entries()) {
    const candidate = bare(line);
    const score = candidate === target ? 1 : likeness(pairs, candidate, best.score);
    if (score > best.score) best = { index, score };
  }
  if (best.index === -1) return null;
  const first = Math.max(0, best.index - Math.min(anchor, SHOWN_LINES / 2));
  const shown = lines.slice(first, first + Math.min(wantedLines.length, SHOWN_LINES));
  return shown.map((line, offset) => `${first + offset + 1}\t${line.slice(0, MAX_LINE_CHARS)}`).join('\n');
}

function longest(lines: readonly string[]): number {
  let found = 0;
  for (const [index, line] of lines.entries()) {
    if (bare(line).length > bare(lines[found] ?? '').length) found = index;
  }
  return found;
}

function bare(line: string): string {
  return line.trim().slice(0, MAX_LINE_CHARS);
}

/** Share of pairs of neighbouring characters in common (Dice's coefficient); 0 when it cannot pass `atLeast`. */
function likeness(pairs: ReadonlySet<number>, candidate: string, atLeast: number): number {
  const length = candidate.length - 1;
  if (length < 1 || (2 * Math.min(pairs.size, length)) / (pairs.size + 1) < atLeast) return 0;
  const others = pairsOf(candidate);
  let shared = 0;
  for (const pair of others) if (pairs.has(pair)) shared += 1;
  return (2 * shared) / (pairs.size + others.size);
}

/** Each two neighbouring characters as one number. */
function pairsOf(text: string): Set<number> {
  const pairs = new Set<number>();
  for (let at = 1; at < text.length; at += 1) pairs.add(text.charCodeAt(at - 1) * 0x10000 + text.charCodeAt(at));
  return pairs;
}
