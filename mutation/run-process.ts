// One process that runs test files, and is gone with everything it started when this returns.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ProcessOptions {
  readonly timeoutMs: number;
  /** Parts of names of tests that are left out. */
  readonly skip: readonly string[];
  /** The mutant that is switched on, none when absent. */
  readonly mutant?: string;
  /** How often that mutant may be reached before its loop counts as endless. */
  readonly hitLimit?: number | undefined;
}

export interface TestsRun {
  readonly passed: boolean;
  readonly timedOut: boolean;
  readonly tookMs: number;
  /** Full names of the tests that ended. */
  readonly names: readonly string[];
  /** The test that ended it all. */
  readonly failed?: string;
  readonly reason?: string;
  /** How often each mutant was reached, by its id. */
  readonly coverage: Readonly<Record<string, number>>;
  /** The end of what was written. */
  readonly output: string;
}

const RUN_TESTS = join(import.meta.dirname, 'run-tests.js');
/** A promise that a mutant leaves open costs this long. */
const TEST_TIMEOUT_MS = 15_000;
const MAX_OUTPUT = 2_000;

/** Runs the files in the directory of this process. */
export async function runProcess(files: readonly string[], { timeoutMs, skip, mutant, hitLimit }: ProcessOptions): Promise<TestsRun> {
  const temporary = await mkdtemp(join(tmpdir(), 'mutant-'));
  const report = join(temporary, 'report.json');
  const started = performance.now();
  const settings = [`--test-timeout=${TEST_TIMEOUT_MS}`, ...skip.map((part) => `--test-skip-pattern=${part}`)];
  const child = spawn(process.execPath, [...settings, RUN_TESTS, report, ...files], {
    // A group of its own: what its tests start ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: join(process.cwd(), '.compiled'),
      HIT_LIMIT: String(hitLimit ?? ''),
      ...(mutant !== undefined && { __STRYKER_ACTIVE_MUTANT__: mutant }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-MAX_OUTPUT)));
  }
  let timedOut = false;
  const stop = () => killGroup(child.pid);
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, timeoutMs);
  // When Stryker goes, nobody waits for the answer.
  process.once('disconnect', stop).once('exit', stop);
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve).once('error', () => resolve(null)));
  clearTimeout(timer);
  process.off('disconnect', stop).off('exit', stop);
  stop();
  const tookMs = performance.now() - started;
  const told = await readFile(report, 'utf8').then(JSON.parse, () => ({ names: [], coverage: {} }));
  await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  return { ...told, passed: exitCode === 0, timedOut, tookMs, output };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
