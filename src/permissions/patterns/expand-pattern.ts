// The files that a word with wildcards stands for, as the shell would find them.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { matchSegment, parseSegment, type Segment } from './path-segment.ts';

/** Names that are looked at for one word. */
const MAX_NAMES = 5_000;

/**
 * @param pattern relative to `base` or absolute; a backslash makes the next character literal
 * @returns paths joined to `base`; `null` when there is too much to look through, or the pattern is not understood
 */
export async function expandPattern(pattern: string, base: string): Promise<readonly string[] | null> {
  let found = [pattern.startsWith('/') ? '/' : base];
  let looked = 0;
  for (const name of pattern.split('/').filter((each) => each !== '')) {
    const segment = readSegment(name);
    if (segment === null) return null;
    if (typeof segment === 'string') {
      // Not `join`, which would take a `..` together with the link in front of it.
      found = found.map((directory) => `${directory}/${segment}`);
      continue;
    }
    const next: string[] = [];
    for (const directory of found) {
      const names = await namesIn(directory);
      looked += names.length + 1;
      if (looked > MAX_NAMES) return null;
      next.push(...names.filter((each) => isShellMatch(segment, name, each)).map((each) => join(directory, each)));
    }
    found = next;
  }
  return found;
}

/** A name without wildcards is its text. */
function readSegment(name: string): Segment | string | null {
  try {
    const segment = parseSegment(name);
    return segment.literal ?? segment;
  } catch {
    // Whatever the shell makes of it, it is not known here.
    return null;
  }
}

/** The shell finds names that start with a dot only by a dot. */
function isShellMatch(segment: Segment, pattern: string, name: string): boolean {
  return (!name.startsWith('.') || pattern.startsWith('.')) && matchSegment(segment, name);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    // Some shells find these too by a pattern such as `.*`.
    return ['..', ...(await readdir(directory))];
  } catch {
    // What cannot be listed here, the shell cannot list either: it leaves the word as it is.
    return [];
  }
}
