// What a sandbox must keep commands from, so that no program goes around a rule: paths denied to reading, paths denied to
// writing, and the protected ones. A bind mount needs a path, so patterns are looked up in the directories of the session.
import { join } from 'node:path';
import { isWithin, outermost } from '../contract/index.ts';
import { heldPaths } from './paths/held-paths.ts';
import { parseBoth, type BothRules } from './rules/parse-rules.ts';
import { matchPath, startsOf, type PathBases, type PathPattern } from './patterns/path-pattern.ts';
import type { RealPath, Scope } from './paths/place.ts';
import { placeOf } from './paths/place.ts';
import { entriesOf, findRepositories } from './repositories.ts';
import { basesOf } from './rules/rule.ts';

export interface SandboxPaths {
  /** Absolute paths that must not be readable, also those that do not exist yet. */
  readonly masked: readonly string[];
  /** Absolute paths that must not be writable, nor come to be, also those that do not exist yet. */
  readonly readOnly: readonly string[];
  /** False when there was too much to look through: then the sandbox does not hold the rules, and no policy may count on it. */
  readonly complete: boolean;
}

export interface SandboxPathsRequest extends BothRules {
  readonly scope: Pick<Scope, 'workspace' | 'readable' | 'writable' | 'home'>;
  readonly realPath: RealPath;
  /**
   * Every `.git` that was there before the session's first command, as `findRepositories` gives them; looked for when absent.
   * Those that a session makes itself are as it made them: holding them would only keep it from removing them.
   */
  readonly repositories?: readonly string[];
  /** Which protected paths are held: all, those that are there, or none. All when absent. */
  readonly protects?: 'all' | 'there' | 'none';
}

/** Entries of directories that are looked at: fewer when each is compared with many patterns. */
const MAX_ENTRIES = 100_000;
const CHEAP_PATTERNS = 10;

/** A path that a rule denies, as a pattern with where it starts. */
interface Denied {
  readonly kind: 'masked' | 'readOnly';
  readonly pattern: PathPattern;
  readonly bases: PathBases;
}

export async function sandboxPaths(request: SandboxPathsRequest): Promise<SandboxPaths> {
  const { protects = 'all' } = request;
  const denied = deniedPatterns(request);
  const found = {
    masked: new Set<string>(),
    readOnly: new Set(protects === 'none' ? [] : await protectedPaths(request, protects === 'all')),
  };
  for (const { kind, pattern, bases } of denied) for (const path of literalPaths(pattern, bases)) found[kind].add(path);
  const complete = await walk(
    denied.filter(({ pattern }) => needsLook(pattern)),
    request,
    found,
  );
  const [masked, readOnly] = await Promise.all([targetsOf(found.masked, request.realPath), targetsOf(found.readOnly, request.realPath)]);
  // A link that must stay as it is has to be held itself, beside what it leads to.
  const held = outermost([...new Set([...found.readOnly, ...readOnly])]).toSorted();
  const hidden = outermost([...masked]).toSorted();
  return { masked: hidden, readOnly: held.filter((path) => !hidden.some((each) => isWithin(each, path))), complete };
}

async function protectedPaths({ scope, repositories }: SandboxPathsRequest, missing: boolean): Promise<readonly string[]> {
  return heldPaths(scope.writable, repositories ?? (await findRepositories(scope.writable)), missing);
}

/** Where paths lead: what is hidden there is hidden by every way that leads to it. */
async function targetsOf(paths: ReadonlySet<string>, realPath: RealPath): Promise<ReadonlySet<string>> {
  return new Set(
    await Promise.all(
      Array.from(paths, async (path) => {
        const { shown, real } = await placeOf(path, realPath);
        return real ?? shown;
      }),
    ),
  );
}

function deniedPatterns(request: SandboxPathsRequest): Denied[] {
  return parseBoth(request).flatMap((rule) => {
    const { behavior, form, path } = rule;
    if (behavior !== 'deny' || path === undefined || (form !== 'read' && form !== 'write')) return [];
    const bases = basesOf(rule, request.scope, request.operator.source);
    return [{ kind: form === 'read' ? 'masked' : 'readOnly', pattern: path, bases } as const];
  });
}

/** The leading names of a pattern that are plain texts. */
function literalNames({ segments }: PathPattern): string[] {
  const names: string[] = [];
  for (const segment of segments) {
    if (segment?.literal === undefined) break;
    names.push(segment.literal);
  }
  return names;
}

function needsLook(pattern: PathPattern): boolean {
  return pattern.anchor === 'anywhere' || literalNames(pattern).length < pattern.segments.length;
}

/** Where a pattern without wildcards leads, whether it is there or not. */
function literalPaths(pattern: PathPattern, bases: PathBases): string[] {
  const names = literalNames(pattern);
  return names.length < pattern.segments.length ? [] : startsOf(pattern, bases).map((base) => join(base, ...names));
}

/** @returns false when there was too much */
async function walk(
  denied: readonly Denied[],
  { scope }: SandboxPathsRequest,
  found: Readonly<Record<Denied['kind'], Set<string>>>,
): Promise<boolean> {
  const waiting = [...new Set(denied.flatMap(({ pattern, bases }) => lookIn(pattern, bases, scope.readable)))];
  let left = MAX_ENTRIES;
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const entry of await entriesOf(directory)) {
      left -= Math.max(1, denied.length / CHEAP_PATTERNS);
      if (left < 0) return false;
      const path = join(directory, entry.name);
      const hits = denied.filter(({ pattern, bases }) => matchPath(pattern, path, bases));
      for (const { kind } of hits) found[kind].add(path);
      // What lies in a masked directory goes with it.
      if (entry.isDirectory() && !hits.some(({ kind }) => kind === 'masked')) waiting.push(path);
    }
  }
  return true;
}

/** Above the session's directories only those are looked through: a sandbox shows no more than those and the system. */
function lookIn(pattern: PathPattern, bases: PathBases, roots: readonly string[]): readonly string[] {
  const names = pattern.anchor === 'anywhere' ? [] : literalNames(pattern);
  return startsOf(pattern, bases).flatMap((base) => {
    const start = join(base, ...names);
    const below = roots.filter((root) => isWithin(start, root));
    return below.length > 0 ? below : [start];
  });
}
