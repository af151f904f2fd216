// Whether bubblewrap works here: it is run once, with all that commands get, since every system forbids another part of it.
import { accessSync, constants } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { openPaths } from './bound-paths.ts';
import { baseArguments, placeArguments, type Bubblewrap } from './bubblewrap.ts';
import { createPlaceholders } from './placeholders.ts';
import { copySystemFiles } from './system-files.ts';

const CANDIDATES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];
const TIMEOUT_MS = 5000;
/** Succeeds if it is alone, sees nothing of the service's, and cannot write but where it may. */
const PROBE = '[ $$ -le 3 ] && [ ! -e "$1" ] && touch /tmp/probe && rm /tmp/probe && ! touch /usr/probe /probe 2>/dev/null';

export type SandboxDetection =
  | {
      readonly works: true;
      readonly version: string;
      /** False when the service runs as root, whom the kernel does not hold to the limit on processes. */
      readonly limitsProcesses: boolean;
      /** False where the system does not let programs inside be kept from making user namespaces of their own. */
      readonly deniesNamespaces: boolean;
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
    return { works: false, reason: `Its files could not be made: ${error instanceof Error ? error.message : String(error)}.` };
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
    const said = await probe({ file, base, place, secret: etc });
    if (said === undefined) {
      return {
        works: true,
        version: await versionOf(file),
        limitsProcesses: process.getuid?.() !== 0,
        deniesNamespaces: !nested,
        bubblewrap: { file, base, etc, placeholders: createPlaceholders() },
      };
    }
    reason = said;
  }
  return { works: false, reason: `bubblewrap does not work here: ${reason} ${adviceOn(reason)}` };
}

interface Probe {
  readonly file: string;
  readonly base: readonly string[];
  /** An empty directory. */
  readonly place: string;
  /** What it must not see. */
  readonly secret: string;
}

/** @returns why it does not work, if so */
async function probe({ file, base, place, secret }: Probe): Promise<string | undefined> {
  const { args, bound } = placeArguments({ mounts: [{ path: place, kind: 'write' }], tempDir: place, readOnly: false });
  using opened = openPaths(bound);
  const all = [...base, ...args, '--remount-ro', '/', '--chdir', place, '--', '/bin/sh', '-c', PROBE, 'sh', secret];
  const run = await execa(file, all, {
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
  const [line = ''] = run.stderr.split('\n');
  return line === '' ? 'what ran in it was not shut in.' : `${line.slice(0, 300)}.`;
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
