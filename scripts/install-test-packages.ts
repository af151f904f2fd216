// Runs before the tests: installs the system packages they need where that is allowed, and says what is missing where it is not.
// Never fails: a machine without a package still runs the other suites.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Need {
  readonly command: string;
  /** The Debian package that brings it. */
  readonly package: string;
  /** What will not run without it. */
  readonly suites: string;
}

const NEEDS: readonly Need[] = [
  { command: 'bash', package: 'bash', suites: 'everything that runs a command' },
  { command: 'git', package: 'git', suites: 'everything that needs a repository' },
  { command: 'mkfifo', package: 'coreutils', suites: 'the file tools on pipes' },
  { command: 'perl', package: 'perl-base', suites: 'what hostile commands try in the sandbox' },
  { command: 'setsid', package: 'util-linux', suites: 'what commands leave behind' },
  { command: 'find', package: 'findutils', suites: 'Glob and Grep' },
  { command: 'chromium', package: 'chromium', suites: 'the web console in a browser' },
  { command: 'redis-server', package: 'redis-server', suites: 'the Redis store' },
  { command: 'bwrap', package: 'bubblewrap', suites: 'the sandbox, and read-only lines that are really run' },
];
/** Milliseconds that one run of apt-get may take. */
const APT_TIMEOUT_MS = 180_000;

const missing = stillMissing();
if (missing.length > 0) {
  const packages = [...new Set(missing.map((need) => need.package))];
  console.log(`The tests need ${packages.join(', ')}: installing.`);
  install(packages);
  for (const need of stillMissing()) {
    console.log(`Missing: ${need.command} (package ${need.package}). Will not run: ${need.suites}.`);
  }
}

function stillMissing(): Need[] {
  return NEEDS.filter((need) => !isOnPath(need.command));
}

function isOnPath(command: string): boolean {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.some((directory) => isExecutable(join(directory, command)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not in this directory; the next one may have it.
    return false;
  }
}

/** Tries with the package lists as they are first, because fetching new ones takes longest. */
function install(packages: readonly string[]): void {
  const wanted = ['install', '--yes', '--no-install-recommends', '--no-upgrade', ...packages];
  if (aptGet(wanted)) return;
  if (aptGet(['update'])) aptGet(wanted);
}

function aptGet(args: readonly string[]): boolean {
  const isRoot = process.getuid?.() === 0;
  const [file, ...rest] = [...(isRoot ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--quiet', ...args];
  const { status } = spawnSync(file ?? 'env', rest, { stdio: 'ignore', timeout: APT_TIMEOUT_MS });
  return status === 0;
}
