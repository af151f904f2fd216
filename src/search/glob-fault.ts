// What is wrong with a glob, found before anything runs: the search itself only sees what the glob was turned into.
import { clipped } from '../contract/index.ts';
import { globTokens } from './glob-regex.ts';

/** Characters of a glob that are shown. */
const MAX_SHOWN = 200;
/** Also `[]`: a bracket that comes first is a member of the class, which then has no end. */
const EMPTY_CLASS = /^\[(?:[!^]?\])?$/;

/** A sentence that says what to change, or `null` when the glob can be used. */
export function globFault(glob: string): string | null {
  let open = 0;
  for (const token of globTokens(glob)) {
    if (EMPTY_CLASS.test(token)) return unclosed(glob, '[', ']');
    const range = token.startsWith('[') ? backwardRange(token) : null;
    if (range !== null) return `The range ${range} in the glob ${quoted(glob)} runs backwards: put the lower character first.`;
    if (token === '{') open += 1;
    if (token === '}' && open > 0) open -= 1;
  }
  return open > 0 ? unclosed(glob, '{', '}') : null;
}

function unclosed(glob: string, opening: string, closing: string): string {
  return `The glob ${quoted(glob)} has a "${opening}" without "${closing}": close it, or write "\\${opening}" for the character itself.`;
}

function quoted(glob: string): string {
  return `"${clipped(glob, MAX_SHOWN)}"`;
}

function backwardRange(characterClass: string): string | null {
  const ranges = characterClass.replaceAll(/^\[[!^]?|\]$/g, '').match(/.-.|./gsu) ?? [];
  return ranges.find(runsBackwards) ?? null;
}

function runsBackwards(range: string): boolean {
  const [from = '', , to = from] = Array.from(range);
  return (from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0);
}
