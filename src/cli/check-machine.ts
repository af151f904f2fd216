// What the service finds on this machine: Node, the sandbox, and the programs and limits it works with.
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Config } from '../config.ts';
import { messageOf } from '../contract/index.ts';
import { detectSandbox } from '../sandbox/enclosure/detect-sandbox.ts';
import { ripgrepPath } from '../search/ripgrep.ts';
import type { Finding } from './finding.ts';

const OLDEST_NODE = 24;
const TIMEOUT_MS = 10_000;
/** A busy service has a descriptor a socket, and some a command. */
const FEW_FILES = 4_096;

/** @param config `undefined` where the settings cannot be read */
export async function checkMachine(config: Config | undefined): Promise<Finding[]> {
  return [checkNode(), ...(await Promise.all([checkSandbox(config), checkRipgrep(), checkGit(), checkOpenFiles()]))];
}

function checkNode(): Finding {
  const name = 'node';
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return { name, state: 'ok', detail: `Node ${node}` };
  return { name, state: 'fail', detail: `Node ${node} is too old.`, fix: `Install Node ${OLDEST_NODE} or later.` };
}

async function checkSandbox(config: Config | undefined): Promise<Finding> {
  const name = 'sandbox';
  const wanted = config?.sandbox ?? 'auto';
  if (wanted === 'external')
    return { name, state: 'ok', detail: 'TOOLEXEC_SANDBOX is external: what is around the service holds commands.' };
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-doctor-'));
  try {
    const found = await detectSandbox(directory);
    if (found.works) return { name, state: 'ok', detail: `bubblewrap ${found.version} works.` };
    const fix =
      'Install bubblewrap and let it make user namespaces, or set TOOLEXEC_SANDBOX to external inside of a container or virtual machine.';
    return { name, state: wanted === 'required' ? 'fail' : 'warn', detail: `Commands would not be shut in. ${found.reason}`, fix };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function checkRipgrep(): Promise<Finding> {
  const name = 'ripgrep';
  const fix = 'Run npm install with optional packages, or install ripgrep: searches need it.';
  return firstLineOf(ripgrepPath, { name, missing: 'fail', fix });
}

function checkGit(): Promise<Finding> {
  return firstLineOf(() => Promise.resolve('git'), {
    name: 'git',
    missing: 'warn',
    fix: 'Install git: worktrees and its commands need it.',
  });
}

/** What a program says of its version. */
async function firstLineOf(
  program: () => Promise<string>,
  { name, missing, fix }: { name: string; missing: 'warn' | 'fail'; fix: string },
): Promise<Finding> {
  try {
    const { stdout } = await execa(await program(), ['--version'], { timeout: TIMEOUT_MS, stdin: 'ignore' });
    return { name, state: 'ok', detail: stdout.split('\n', 1)[0] ?? '' };
  } catch (error) {
    return { name, state: missing, detail: `It cannot be run: ${messageOf(error).split('\n', 1)[0]}`, fix };
  }
}

async function checkOpenFiles(): Promise<Finding> {
  const name = 'open files';
  let limits: string;
  try {
    limits = await readFile('/proc/self/limits', 'utf8');
  } catch {
    return { name, state: 'ok', detail: 'This system does not tell its limit.' };
  }
  const [, soft = 'unlimited'] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (soft === 'unlimited' || Number(soft) >= FEW_FILES) return { name, state: 'ok', detail: `At most ${soft} at once.` };
  const fix = `Allow ${FEW_FILES} or more: ulimit -n, LimitNOFILE of systemd, or --ulimit of a container.`;
  return { name, state: 'warn', detail: `At most ${soft} at once: many sockets and commands need more.`, fix };
}
