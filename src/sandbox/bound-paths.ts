// What is mounted inside is opened before, by the helper: between the look at a path and its mount another session could put
// a link in its place, which would lead out.
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';

/** Of Linux alone, where Node does not name it: opens a path for what it is, without the right to read it. */
const O_PATH = 0o10_000_000;

export interface BoundPaths extends Disposable {
  /** In the order of the paths. */
  readonly descriptors: readonly number[];
}

/** @throws Error when a path is not there or leads through a link. */
export function openPaths(paths: readonly string[]): BoundPaths {
  using opened = new DisposableStack();
  const descriptors = paths.map((path) => {
    const descriptor = openAsItIs(path);
    opened.defer(() => closeSync(descriptor));
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) throw new Error(notThere(path));
    return descriptor;
  });
  const held = opened.move();
  return { descriptors, [Symbol.dispose]: () => held.dispose() };
}

function openAsItIs(path: string): number {
  try {
    return openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch {
    throw new Error(notThere(path));
  }
}

function notThere(path: string): string {
  return `The command did not run, because its sandbox could not be set up: ${path} was moved or replaced. Call it again.`;
}
