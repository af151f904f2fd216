// Which mounts make a session's view of the file system out of an empty one.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin } from '../../contract/index.ts';
import { coverPaths } from './covered-paths.ts';
import type { Mount } from './mount.ts';
import type { Placeholders } from './placeholders.ts';
import { protectPaths } from './protected-paths.ts';
import type { SandboxProfile } from './sandbox-profile.ts';

/** More would make each command slow: the time grows with the square of their number. */
const MAX_MOUNTS = 400;

export interface View {
  readonly profile: SandboxProfile;
  /** Nothing may be written. */
  readonly readOnly: boolean;
  /** What stands in for the system's /etc. */
  readonly etc: string;
}

/**
 * Parents come first.
 * @throws Error that says what to change, when a path cannot be protected or there are too many of them
 */
export function planMounts(view: View, placeholders: Placeholders): { mounts: Mount[] } & Disposable {
  const { profile, readOnly } = view;
  const writeRoots = [profile.workspace, ...profile.writable, profile.home];
  const visible = [...writeRoots, ...profile.readable, '/usr'];
  const masked = coverPaths(profile.masked, 'denied-directory').filter(
    ({ path }) => visible.some((root) => isWithin(root, path) || isWithin(path, root)) || isInCopy(path, view.etc),
  );
  const hidden = coverPaths(profile.hidden, 'hidden-directory').filter(({ path }) => visible.some((root) => isWithin(root, path)));
  const below = pathsOf(masked);
  const readOnlyPaths = profile.readOnly.filter((path) => !below.some((cover) => isWithin(cover, path)));
  using opened = new DisposableStack();
  const kept = readOnly
    ? []
    : opened.use(protectPaths({ writeRoots, readOnly: readOnlyPaths, covered: pathsOf([...masked, ...hidden]) }, placeholders)).mounts;
  const mounts = inOrder([...hidden, ...rootMounts(view), ...kept, ...masked], below);
  if (mounts.length > MAX_MOUNTS) {
    throw new Error(
      `The rules deny ${mounts.length} separate paths, more than the ${MAX_MOUNTS} that the sandbox can keep apart: deny the directories they lie in.`,
    );
  }
  const held = opened.move();
  return { mounts, [Symbol.dispose]: () => held.dispose() };
}

function rootMounts({ profile, readOnly }: View): Mount[] {
  const writable = (path: string): Mount => ({
    path,
    kind: readOnly || profile.readOnly.some((kept) => isWithin(kept, path)) ? 'read' : 'write',
  });
  return [
    ...profile.readable.filter((path) => !isWithin('/usr', path)).map((path) => ({ path, kind: 'optional' }) as const),
    ...profile.writable.map(writable),
    writable(profile.workspace),
    ...(isDirectory(profile.home) ? [writable(profile.home)] : []),
  ];
}

/** Of several for one path the last wins. What lies in something that cannot be read is not brought back. */
function inOrder(mounts: readonly Mount[], covers: readonly string[]): Mount[] {
  return [...new Map(mounts.map((mount) => [mount.path, mount])).values()]
    .filter(({ path }) => !covers.some((cover) => cover !== path && isWithin(cover, path)))
    .toSorted((one, other) => depth(one.path) - depth(other.path));
}

function pathsOf(mounts: readonly Mount[]): string[] {
  return mounts.map(({ path }) => path);
}

function isInCopy(path: string, etc: string): boolean {
  return isWithin('/etc', path) && existsSync(join(etc, path.slice('/etc'.length)));
}

function depth(path: string): number {
  return path.split('/').length;
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
