// What is mounted inside is opened before, by the helper: between the look at a path and its mount another session could put
// a link in its place, which would lead out.
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import type { BoundPath } from '../messages.ts';

/** Of Linux alone, where Node does not name it: opens a path for what it is, without the right to read it. */
const O_PATH = 0o10_000_000;

export interface BoundPaths extends Disposable {
  /** In the order of the paths. */
  readonly descriptors: readonly number[];
}

/** @throws Error when a path is not there or leads through a link. */
export function openPaths(paths: readonly BoundPath[]): BoundPaths {
  using opened = new DisposableStack();
  const descriptors = paths.map(({ path, use }) => {
    const descriptor = openAsItIs(path, use === 'place' ? O_PATH : constants.O_RDONLY);
    opened.defer(() => closeSync(descriptor));
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) throw new Error(notThere(path));
    return descriptor;
  });
  const held = opened.move();
  return { descriptors, [Symbol.dispose]: () => held.dispose() };
}

function openAsItIs(path: string, how: number): number {
  try {
    return openSync(path, how | constants.O_NOFOLLOW);
  } catch {
    throw new Error(notThere(path));
  }
}

function notThere(path: string): string {
  return `The command did not run, because its sandbox could not be set up: ${path} was moved or replaced. Call it again.`;
}
