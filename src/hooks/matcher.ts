// Which names a hook is for. A pattern runs on an engine that takes linear time, since it may come from a client.
import { RE2JS } from 're2js';
import { messageOf } from '../contract/index.ts';

export interface Matcher {
  /** What the pattern costs, roughly its number of states. */
  readonly size: number;
  /** @param names all names that one thing has */
  readonly matches: (names: readonly string[]) => boolean;
}

const NAMES_ALONE = /^[A-Za-z0-9_\-,| ]*$/;
const ALL: Matcher = { size: 0, matches: () => true };

/**
 * Empty or `*`: everything. Letters, digits, `_`, `-` and spaces with `,` or `|` between names: exactly these. Anything
 * else: a regular expression that is found anywhere in a name.
 * @throws Error that says what is wrong with the pattern
 */
export function compileMatcher(text: string): Matcher {
  const pattern = text.trim();
  if (pattern === '' || pattern === '*') return ALL;
  if (!NAMES_ALONE.test(pattern)) return compilePattern(pattern);
  const wanted = new Set(
    pattern
      .split(/[|,]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  if (wanted.size === 0) throw new Error('it names nothing: give names, a pattern, or "*" for all');
  return { size: wanted.size, matches: (names) => names.some((name) => wanted.has(name)) };
}

function compilePattern(pattern: string): Matcher {
  const compiled = compile(pattern);
  return { size: compiled.programSize(), matches: (names) => names.some((name) => compiled.test(name)) };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    const why = messageOf(error);
    throw new Error(`it is no pattern that can be used here, where look-around and back-references are not known: ${why}`, {
      cause: error,
    });
  }
}
