// Replaces text in a string without touching what nobody asked for. A plain newline in what is searched for stands for
// whatever ends the line there; what is put in takes the line ending of its place.
import type { FoldedText } from './folded-text.ts';
import { foldText, literalText } from './folded-text.ts';
import { placesOf } from './places-of.ts';

export interface Search {
  readonly folded: FoldedText;
  /** Indices into the folded text where the wanted text stands, ascending, not overlapping. */
  readonly starts: readonly number[];
  /** True when it stands exactly once, overlaps counted. */
  readonly unique: boolean;
}

/** Finds a text that is not empty; one with a carriage return in it is taken literally. */
export function search(original: string, wanted: string): Search {
  const folded = wanted.includes('\r') ? literalText(original) : foldText(original);
  const { text } = folded;
  const all = placesOf(text, wanted);
  const starts: number[] = [];
  for (const at of all) if (at >= (starts.at(-1) ?? -wanted.length) + wanted.length) starts.push(at);
  return { folded, starts, unique: all.length === 1 };
}

/**
 * Puts `replacement` in the place of every found `wanted`. The beginning and the end that both share are left alone, so
 * that lines which do not change keep their own endings.
 */
export function replaceFound(original: string, found: Search, { wanted, replacement }: { wanted: string; replacement: string }): string {
  const { folded, starts } = found;
  const literal = wanted.includes('\r');
  const head = commonStart(wanted, replacement);
  const tail = commonEnd(wanted, replacement, Math.min(wanted.length, replacement.length) - head);
  const middle = replacement.slice(head, replacement.length - tail);
  const parts: string[] = [];
  let done = 0;
  for (const start of starts) {
    const from = folded.unfold(start + head);
    parts.push(original.slice(done, from), literal ? middle : middle.replaceAll(/(?<!\r)\n/g, () => folded.endingAt(start)));
    done = folded.unfold(start + wanted.length - tail);
  }
  return [...parts, original.slice(done)].join('');
}

/** Lines (from 1) of the first `limit` places. */
export function linesOf({ folded, starts }: Search, limit: number): number[] {
  let line = 1;
  let done = 0;
  return starts.slice(0, limit).map((start) => {
    for (let at = folded.text.indexOf('\n', done); at !== -1 && at < start; at = folded.text.indexOf('\n', done)) {
      line += 1;
      done = at + 1;
    }
    return line;
  });
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  return length;
}

function commonEnd(one: string, other: string, most: number): number {
  let length = 0;
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}
