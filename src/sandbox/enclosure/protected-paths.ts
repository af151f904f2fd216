// What must not be changed: each is mounted read-only on itself. That alone would not hold it, since a parent could be moved
// away and made anew; so every directory on the way is a mount point as well, which the kernel does not let be moved.
import { lstatSync, type Stats } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isWithin, outermost } from '../../contract/index.ts';
import type { Mount } from './mount.ts';
import type { Placeholders } from './placeholders.ts';

export interface ProtectionRequest {
  readonly writeRoots: readonly string[];
  /** What must stay as it is, there or not. */
  readonly readOnly: readonly string[];
  /** What is covered and must stay so: the way to it is kept as well. */
  readonly covered: readonly string[];
}

interface Point {
  /** The protected path, or the first part of the way to it that is missing or no directory. */
  readonly path: string;
  readonly missing: boolean;
}

/** @throws Error that names a path which cannot be protected, since it is a link or lies behind one */
export function protectPaths(request: ProtectionRequest, placeholders: Placeholders): { mounts: Mount[] } & Disposable {
  const points = new Map<string, Point>();
  for (const path of outermost(request.readOnly)) {
    for (const root of rootsOf(path, request.writeRoots)) {
      const point = pointOn(root, path, placeholders);
      points.set(point.path, point);
    }
  }
  using opened = new DisposableStack();
  const kept = [...points.values()].filter(({ path, missing }) => !missing || placeholders.hold(path, opened)).map(({ path }) => path);
  const ways = [...kept, ...request.covered]
    .flatMap((path) => rootsOf(path, request.writeRoots).flatMap((root) => directoriesBetween(root, path)))
    .filter((path) => ![...kept, ...request.readOnly].some((outer) => isWithin(outer, path)));
  const held = opened.move();
  return {
    mounts: [...new Set(ways)].map((path): Mount => ({ path, kind: 'write' })).concat(kept.map((path) => ({ path, kind: 'read' }))),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** The innermost of the roots that the path lies in or is: the others see it through that one. */
function rootsOf(path: string, roots: readonly string[]): string[] {
  return roots
    .filter((root) => isWithin(root, path))
    .toSorted((one, other) => other.length - one.length)
    .slice(0, 1);
}

function pointOn(root: string, path: string, placeholders: Placeholders): Point {
  for (const step of [...directoriesBetween(root, path), path]) {
    const stats = look(step);
    if (stats === undefined) return { path: step, missing: true };
    if (stats.isSymbolicLink()) {
      throw new Error(
        `${path} is protected, and the sandbox cannot protect what is or lies behind the symbolic link ${step}: ` +
          'replace the link by what it leads to.',
      );
    }
    if (placeholders.has(step)) return { path: step, missing: true };
    if (!stats.isDirectory()) return { path: step, missing: false };
  }
  return { path, missing: false };
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** The directories below `root` on the way to `path`, outermost first. */
function directoriesBetween(root: string, path: string): string[] {
  const parts = relative(root, dirname(path)).split('/');
  if (path === root || parts[0] === '') return [];
  return parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
}
