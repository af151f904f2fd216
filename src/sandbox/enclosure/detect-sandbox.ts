// Whether bubblewrap works here: it is run once, with all that commands get, since every system forbids another part of it.
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { firstExecutable, messageOf } from '../../contract/index.ts';
import { openPaths } from './bound-paths.ts';
import { baseArguments, filterArguments, placeArguments, type Bubblewrap } from './bubblewrap.ts';
import { createPlaceholders } from './placeholders.ts';
import { writeFilter } from './seccomp-filter.ts';
import { runBriefly } from '../run-briefly.ts';
import { copySystemFiles } from './system-files.ts';

const CANDIDATES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];
const TIMEOUT_MS = 5000;
const HUNG = `it took more than ${TIMEOUT_MS / 1000} seconds.`;
/** Succeeds if it is alone, sees nothing of the service's, and cannot write but where it may. */
const PROBE = '[ $$ -le 3 ] && [ ! -e "$1" ] && touch /tmp/probe && rm /tmp/probe && ! touch /usr/probe /probe 2>/dev/null';
/** As /proc has it: mode 2 is that of a filter. */
const FILTERED = 'grep -q "^Seccomp:[[:space:]]*2$" /proc/self/status';

export type SandboxDetection =
  | {
      readonly works: true;
      readonly version: string;
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
  const file = await firstExecutable(CANDIDATES);
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
  copySystemFiles(etc);
  const place = join(directory, 'probe');
  await mkdir(place, { recursive: true, mode: 0o700 });
  const version = versionOf(file);
  const filterFile = join(directory, 'system-calls.bpf');
  // All at once first, which works on most systems: each try keeps the start waiting.
  const filters = (await writeFilter(filterFile)) ? [filterFile, null] : [null];
  let reason = '';
  for (const nested of [false, true]) {
    const base = baseArguments({ etc, nested });
    for (const filter of filters) {
      const said = await probe({ file, base, place, secret: etc, filter });
      reason = said ?? '';
      if (said === HUNG) return broken(reason);
      if (said !== undefined) continue;
      return {
        works: true,
        version: await version,
        filtersSystemCalls: filter !== null,
        bubblewrap: { file, base, etc, filter, placeholders: createPlaceholders() },
      };
    }
  }
  return broken(reason);
}

function broken(reason: string): SandboxDetection {
  return { works: false, reason: `bubblewrap does not work here: ${reason} ${adviceOn(reason)}` };
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
  const args = [...base, ...filtered.args, ...places.args, ...inside];
  const run = await runBriefly(file, args, { timeoutMs: TIMEOUT_MS, descriptors: opened.descriptors });
  if (run.exitCode === 0) return undefined;
  if (run.timedOut) return HUNG;
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
  const { stdout } = await runBriefly(file, ['--version'], { timeoutMs: TIMEOUT_MS });
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown';
}
