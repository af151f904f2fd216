// Patterns of paths as `.gitignore` has them, anchored by how they begin. A pattern that matches a directory matches all in it.
import { matchSegment, parseSegment, type Segment } from './path-segment.ts';

/**
 * Where a pattern starts: `//x` at the root of the file system, `~/x` at home, `/x` where the rules come from, `./x` and
 * `x/y` at the workspace, `x` at any depth of a directory that the session works in.
 */
export type PathAnchor = 'root' | 'home' | 'source' | 'workspace' | 'anywhere';

export interface PathPattern {
  readonly anchor: PathAnchor;
  /** `null` stands for any number of names. */
  readonly segments: readonly (Segment | null)[];
  /** Matches what lies in such a directory, and a file of that name never. */
  readonly insideOnly: boolean;
}

/** Directories that patterns start at, absolute. */
export interface PathBases {
  readonly home: string;
  readonly source: string;
  readonly workspace: string;
  /** All directories that the session works in. */
  readonly roots: readonly string[];
}

/**
 * @param broad for what forbids: a directory itself counts too, and `name/**` holds at any depth
 * @throws Error that says what to change
 */
export function parsePathPattern(text: string, broad: boolean): PathPattern {
  if (text.startsWith('!')) throw new Error('a pattern that starts with ! cannot be used: name what the rule is for instead');
  if (/^~[^/]/.test(text)) throw new Error('~ stands for the home directory alone: write ~/ in front of the path');
  const { anchor, rest } = anchorOf(text);
  const names = rest.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new Error('.. cannot be used: write the path without it');
  const everything = names.length > 0 && isGlobstar(names.at(-1));
  const kept = everything ? names.slice(0, -1) : names;
  const segments = kept.map((name) => (isGlobstar(name) ? null : parseSegment(name)));
  const named = everything ? broad && kept.length === 1 : kept.length === 1 && !/[^/]\/+[^/]/.test(rest);
  const floating = named && anchor === 'workspace' && !text.startsWith('./');
  return { anchor: floating ? 'anywhere' : anchor, segments, insideOnly: !broad && (everything || rest.endsWith('/')) };
}

function isGlobstar(name: string | undefined): boolean {
  return name !== undefined && /^\*{2,}$/.test(name);
}

function anchorOf(text: string): { anchor: PathAnchor; rest: string } {
  if (text.startsWith('//')) return { anchor: 'root', rest: text.slice(2) };
  if (text === '~' || text.startsWith('~/')) return { anchor: 'home', rest: text.slice(2) };
  if (text.startsWith('/')) return { anchor: 'source', rest: text.slice(1) };
  return { anchor: 'workspace', rest: text.startsWith('./') ? text.slice(2) : text };
}

/** @param path absolute and normalised */
export function matchPath(pattern: PathPattern, path: string, bases: PathBases): boolean {
  return startsOf(pattern, bases).some((base) => {
    const below = base === '/' ? '/' : `${base}/`;
    if (path !== base && !path.startsWith(below)) return false;
    return matchNames(
      pattern,
      path
        .slice(below.length)
        .split('/')
        .filter((name) => name !== ''),
    );
  });
}

/** Where a pattern starts. */
export function startsOf({ anchor }: PathPattern, { home, source, workspace, roots }: PathBases): readonly string[] {
  switch (anchor) {
    case 'root':
      return ['/'];
    case 'home':
      return [home];
    case 'source':
      return [source];
    case 'workspace':
      return [workspace];
    case 'anywhere':
      return roots;
  }
}

/** Walks the names once, holding every place of the pattern that the names so far can have led to. */
function matchNames({ anchor, segments, insideOnly }: PathPattern, names: readonly string[]): boolean {
  const pattern = anchor === 'anywhere' ? [null, ...segments] : segments;
  // Only a pattern of nothing but its anchor is at its end before the first name.
  if (pattern.length === 0) return !insideOnly || names.length > 0;
  let places = passGlobstars(pattern, [0]);
  for (const [index, name] of names.entries()) {
    const next: number[] = [];
    for (const place of places) {
      const segment = pattern[place];
      const reached = segment === null ? place : segment !== undefined && matchSegment(segment, name) ? place + 1 : -1;
      if (reached !== -1 && reached !== next.at(-1)) next.push(reached);
    }
    places = passGlobstars(pattern, next);
    if (places.at(-1) === pattern.length && (!insideOnly || index < names.length - 1)) return true;
    if (places.length === 0) return false;
  }
  return false;
}

/** @param places in rising order, as they come back */
function passGlobstars(pattern: readonly (Segment | null)[], places: readonly number[]): readonly number[] {
  if (places.every((place) => pattern[place] !== null)) return places;
  const passed: number[] = [];
  for (const given of places) {
    for (let place = given; ; place += 1) {
      if (passed.at(-1) === undefined || place > (passed.at(-1) ?? 0)) passed.push(place);
      if (pattern[place] !== null) break;
    }
  }
  return passed;
}
