// The arguments of bubblewrap: its own options, the parts of the system that every command sees, then a session's mounts.
import { lstatSync, readlinkSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isWithin } from '../../contract/index.ts';
import { FIRST_BOUND, type BoundPath } from '../messages.ts';
import type { Mount } from './mount.ts';
import type { Placeholders } from './placeholders.ts';
import type { SandboxNetwork } from './sandbox-profile.ts';

/** A bubblewrap that works here. */
export interface Bubblewrap {
  /** Absolute path of the program. */
  readonly file: string;
  /** The part of its arguments that is the same for all. */
  readonly base: readonly string[];
  /** The directory that is /etc inside. */
  readonly etc: string;
  /** Absolute and real path of the program that says which system calls are refused; null where the kernel takes none. */
  readonly filter: string | null;
  readonly placeholders: Placeholders;
}

const SHARED_MEMORY_BYTES = 64 * 1024 ** 2;
const SCRATCH_BYTES = 256 * 1024 ** 2;
/** Where programs lie that are not under /usr on every system. */
const PROGRAM_DIRECTORIES = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

const BRIDGE_EXTENSION = extname(import.meta.filename) === '.ts' ? '.mts' : '.mjs';
const BRIDGE_FILE = join(import.meta.dirname, `bridge${extname(import.meta.filename)}`);
const INSIDE = { node: '/run/toolexec/node', bridge: `/run/toolexec/bridge${BRIDGE_EXTENSION}`, socket: '/run/toolexec/proxy' };
/** Any will do: nobody else is in the command's own network. */
const BRIDGE_PORT = 3128;

/**
 * No session of its own (`--new-session`): the shell would leave its process group and could not be asked to stop. It has no
 * terminal that it could type into, since the helper starts it in a session without one.
 * @param options.nested whether programs inside may make user namespaces
 */
export function baseArguments({ etc, nested }: { etc: string; nested: boolean }): string[] {
  return [
    '--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try'.split(' '),
    nested ? [] : ['--disable-userns'],
    '--die-with-parent --cap-drop ALL --hostname sandbox --ro-bind /usr /usr'.split(' '),
    PROGRAM_DIRECTORIES.flatMap(systemDirectory),
    ['--ro-bind', etc, '/etc'],
    `--proc /proc --dev /dev --size ${SHARED_MEMORY_BYTES} --tmpfs /dev/shm --remount-ro /dev`.split(' '),
    '--dir /run --symlink /run /var/run'.split(' '),
  ].flat();
}

function systemDirectory(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** The parts of a session's view that are its own. */
export interface OwnPlaces {
  /** Parents first. */
  readonly mounts: readonly Mount[];
  readonly tempDir: string;
  readonly readOnly: boolean;
}

export interface PlaceArguments {
  readonly args: readonly string[];
  /** What the arguments take as descriptors from {@link FIRST_BOUND} on. */
  readonly bound: readonly BoundPath[];
  readonly env: Readonly<Record<string, string>>;
}

export function placeArguments({ mounts, tempDir, readOnly }: OwnPlaces): PlaceArguments {
  const temporary = temporaryArguments({ mounts, tempDir, readOnly });
  const bound = mounts.filter(({ kind }) => kind === 'read' || kind === 'write').map(({ path }) => path);
  const descriptorOf = new Map(bound.map((path, index) => [path, String(FIRST_BOUND + index)]));
  const empty = mounts.filter(({ kind }) => kind === 'denied-directory' || kind === 'hidden-directory');
  return {
    args: [
      temporary.args,
      mounts.flatMap((mount) => mountArgument(mount, descriptorOf.get(mount.path) ?? '')),
      empty.flatMap(({ path }) => ['--remount-ro', path]),
    ].flat(),
    bound: bound.map((path) => ({ path, use: 'place' })),
    env: temporary.env,
  };
}

/**
 * The session's own directory is /tmp inside. Where a mount lies in /tmp it is another place: mounts are made in it, and it
 * may be full of links that lead elsewhere. Commands that only read get scratch space that is gone with them, since some
 * programs do not even read without it.
 */
function temporaryArguments({ mounts, tempDir, readOnly }: OwnPlaces): Pick<PlaceArguments, 'args' | 'env'> {
  const crowded = mounts.some(({ path }) => isWithin('/tmp', path) || isWithin('/var/tmp', path));
  const own = crowded ? '/run/tmp' : '/tmp';
  const scratch = (path: string): string[] => ['--size', String(SCRATCH_BYTES), '--tmpfs', path];
  const bind = [readOnly ? '--ro-bind' : '--bind', tempDir, own];
  const rest = crowded ? [...scratch('/tmp'), ...scratch('/var/tmp')] : readOnly ? scratch('/var/tmp') : ['--symlink', '/tmp', '/var/tmp'];
  const env: Record<string, string> = readOnly ? { TMPDIR: '/var/tmp' } : crowded ? { TMPDIR: own } : {};
  return { args: [...bind, ...rest], env };
}

function mountArgument({ path, kind }: Mount, descriptor: string): string[] {
  switch (kind) {
    case 'write':
      return ['--bind-fd', descriptor, path];
    case 'read':
      return ['--ro-bind-fd', descriptor, path];
    case 'optional':
      return ['--ro-bind-try', path, path];
    case 'denied-file':
      // Bound without `dev`, a device cannot be opened, whoever asks.
      return ['--ro-bind', '/dev/null', path];
    case 'denied-directory':
      return ['--perms', '0000', '--tmpfs', path];
    case 'hidden-directory':
      return ['--perms', '0755', '--tmpfs', path];
  }
}

/** @param before what it gets open besides */
export function filterArguments(filter: string | null, before: readonly BoundPath[]): Pick<PlaceArguments, 'args' | 'bound'> {
  if (filter === null) return { args: [], bound: before };
  return { args: ['--seccomp', String(FIRST_BOUND + before.length)], bound: [...before, { path: filter, use: 'content' }] };
}

/** The shell's report begins with the process that was made: see `Shell.enclosed`. */
export const TELL_FIRST: readonly string[] = ['--info-fd', '5'];

export interface NetworkArguments {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly shellEnv: Readonly<Record<string, string>>;
}

/** The command's network has nothing in it; with a proxy, a bridge leads from a port of its own to the proxy's socket. */
export function networkArguments(network: SandboxNetwork): NetworkArguments {
  if (network.kind === 'none') return { args: [], env: {}, shellEnv: {} };
  const { node, bridge, socket } = INSIDE;
  const url = `http://127.0.0.1:${BRIDGE_PORT}`;
  return {
    args: ['--ro-bind', process.execPath, node, '--ro-bind', BRIDGE_FILE, bridge, '--ro-bind', network.socketPath, socket],
    env: {
      ...Object.fromEntries(
        ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].map((name) => [name, url]),
      ),
      no_proxy: '',
      NO_PROXY: '',
      NODE_USE_ENV_PROXY: '1',
    },
    shellEnv: { TOOLEXEC_BRIDGE: `${node} ${bridge} ${socket} ${BRIDGE_PORT}` },
  };
}
