// Whether bubblewrap works here: it is run once, with all that commands get, since every system forbids another part of it.
import { accessSync, constants } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../contract/index.ts';
import { openPaths } from './bound-paths.ts';
import { baseArguments, filterArguments, placeArguments, type Bubblewrap } from './bubblewrap.ts';
import { createPlaceholders } from './placeholders.ts';
import { writeFilter } from './seccomp-filter.ts';
import { copySystemFiles } from './system-files.ts';

const CANDIDATES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];
const TIMEOUT_MS = 5000;
/** Succeeds if it is alone, sees nothing of the service's, and cannot write but where it may. */
const PROBE = '[ $$ -le 3 ] && [ ! -e "$1" ] && touch /tmp/probe && rm /tmp/probe && ! touch /usr/probe /probe 2>/dev/null';
/** As /proc has it: mode 2 is that of a filter. */
const FILTERED = 'grep -q "^Seccomp:[[:space:]]*2$" /proc/self/status';

export type SandboxDetection =
  | {
      readonly works: true;
      readonly version: string;
      /** False when the service runs as root, whom the kernel does not hold to the limit on processes. */
      readonly limitsProcesses: boolean;
      /** False where the system does not let programs inside be kept from making user namespaces of their own. */
      readonly deniesNamespaces: boolean;
      /** False where the kernel takes no filter for system calls: the sandbox holds all the same, in front of more of the kernel. */
      readonly filtersSystemCalls: boolean;
      readonly bubblewrap: Bubblewrap;
    }
  | { readonly works: false; readonly reason: string };

/**
 * @param directory absolute path of a directory that is ours alone, for what sandboxes see of the system; made when missing.
 * Never throws.
 */
export async function detectSandbox(directory: string): Promise<SandboxDetection> {
  if (process.platform !== 'linux') return { works: false, reason: 'Only Linux has what the sandbox is made of.' };
  const file = CANDIDATES.find(isExecutable);
  if (file === undefined) return { works: false, reason: `There is no bubblewrap: install it (looked for ${CANDIDATES.join(', ')}).` };
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await tryOut(file, await realpath(directory));
  } catch (error) {
    return { works: false, reason: `Its files could not be made: ${messageOf(error)}.` };
  }
}

async function tryOut(file: string, directory: string): Promise<SandboxDetection> {
  const etc = join(directory, 'etc');
  await copySystemFiles(etc);
  const place = join(directory, 'probe');
  await mkdir(place, { recursive: true, mode: 0o700 });
  let reason = '';
  for (const nested of [false, true]) {
    const base = baseArguments({ etc, nested });
    const asked = { file, base, place, secret: etc };
    const said = await probe({ ...asked, filter: null });
    if (said === undefined) {
      const filter = await workingFilter(asked, join(directory, 'system-calls.bpf'));
      return {
        works: true,
        version: await versionOf(file),
        limitsProcesses: process.getuid?.() !== 0,
        deniesNamespaces: !nested || filter !== null,
        filtersSystemCalls: filter !== null,
        bubblewrap: { file, base, etc, filter, placeholders: createPlaceholders() },
      };
    }
    reason = said;
  }
  return { works: false, reason: `bubblewrap does not work here: ${reason} ${adviceOn(reason)}` };
}

async function workingFilter(asked: Omit<Probe, 'filter'>, filter: string): Promise<string | null> {
  const works = (await writeFilter(filter)) && (await probe({ ...asked, filter })) === undefined;
  return works ? filter : null;
}

interface Probe {
  readonly file: string;
  readonly base: readonly string[];
  /** An empty directory. */
  readonly place: string;
  /** What it must not see. */
  readonly secret: string;
  readonly filter: Bubblewrap['filter'];
}

/** @returns why it does not work, if so */
async function probe({ file, base, place, secret, filter }: Probe): Promise<string | undefined> {
  const places = placeArguments({ mounts: [{ path: place, kind: 'write' }], tempDir: place, readOnly: false });
  const filtered = filterArguments(filter, places.bound);
  using opened = openPaths(filtered.bound);
  const line = filter === null ? PROBE : `${PROBE} && ${FILTERED}`;
  const inside = ['--remount-ro', '/', '--chdir', place, '--', '/bin/sh', '-c', line, 'sh', secret];
  const run = await execa(file, [...base, ...filtered.args, ...places.args, ...inside], {
    env: {},
    extendEnv: false,
    // The types of execa know the lowest descriptors alone; it passes on any.
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'ignore', 'ignore', ...(opened.descriptors as 3[])],
    timeout: TIMEOUT_MS,
    killDescendants: true,
    reject: false,
  });
  if (run.exitCode === 0) return undefined;
  if (run.timedOut) return `it took more than ${TIMEOUT_MS / 1000} seconds.`;
  const [said = ''] = run.stderr.split('\n');
  return said === '' ? 'what ran in it was not shut in.' : `${said.slice(0, 300)}.`;
}

function adviceOn(reason: string): string {
  if (/bind-fd/.test(reason)) return 'It is too old: it needs version 0.10, or an older one with the fix for CVE-2024-42472.';
  if (/mount proc/i.test(reason)) return 'In a container, /proc must not be masked (Docker: --security-opt systempaths=unconfined).';
  return (
    'It needs user namespaces, and in a container the right to mount in them ' +
    '(Docker: --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined).'
  );
}

async function versionOf(file: string): Promise<string> {
  const { stdout } = await execa(file, ['--version'], { env: {}, extendEnv: false, stdin: 'ignore', timeout: TIMEOUT_MS, reject: false });
  return /\d+(\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'unknown';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run.
    return false;
  }
}
