// A plug-in for Stryker: a process for every mutant, in which the test files that reach it run until the first test fails.
//
// A process of its own, as a mutant may change what a module does while it loads. One for all files, as a short file spends most of its
// time on loading.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Position, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  type CompleteDryRunResult,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner';
import { runProcess, type TestsRun } from './run-process.ts';
import { isTaken, keyOf, type Selection } from './sample.ts';

/** What a run says to this plug-in, beside Stryker's own options. */
export interface Tests {
  /** Test files, relative to the project. */
  readonly files: readonly string[];
  /** Parts of names of tests that are left out. */
  readonly skip: readonly string[];
}

/** What the first run learnt, kept in a file as Stryker starts its test runner anew when a mutant took too long. */
interface Learnt {
  readonly tookMs: Readonly<Record<string, number>>;
  /** The file of each test, by the test's full name. */
  readonly fileOf: Readonly<Record<string, string>>;
}

const LEARNT = '.learnt.json';

class SharedProcess implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #tests: Tests;
  readonly #selection: Selection;
  /** The test file that killed the last mutant of a source file: it is likely to kill the next one too. */
  readonly #killers = new Map<string, string>();
  #learnt: Learnt | undefined;

  constructor(options: StrykerOptions) {
    const { tests, selection } = options as unknown as { tests: Tests; selection: Selection };
    this.#tests = tests;
    this.#selection = selection;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  /** Runs each file on its own, which tells how long it takes and what it reaches. */
  async dryRun({ timeout }: { readonly timeout: number }): Promise<DryRunResult> {
    const tests: CompleteDryRunResult['tests'] = [];
    const perTest: Record<string, Record<string, number>> = {};
    const tookMs: Record<string, number> = {};
    const fileOf: Record<string, string> = {};
    for (const file of this.#tests.files) {
      const ran = await runProcess([file], { timeoutMs: timeout, skip: this.#tests.skip });
      if (!ran.passed) return { status: DryRunStatus.Error, errorMessage: `${file}: ${whyOf(ran)}` };
      tests.push({ id: file, name: file, fileName: join(process.cwd(), file), timeSpentMs: ran.tookMs, status: TestStatus.Success });
      perTest[file] = { ...ran.coverage };
      tookMs[file] = ran.tookMs;
      for (const name of ran.names) fileOf[name] = file;
    }
    await writeFile(LEARNT, JSON.stringify({ tookMs, fileOf } satisfies Learnt));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: { static: {}, perTest } };
  }

  async mutantRun({ activeMutant, testFilter = [], timeout, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    const { skip } = this.#tests;
    const { start, end } = activeMutant.location;
    const key = keyOf({ ...activeMutant, location: { start: fromOne(start), end: fromOne(end) } }, this.#selection.root);
    // Stryker has no sample of its own; it counts errors apart.
    if (!isTaken(key, this.#selection)) return { status: MutantRunStatus.Error, errorMessage: 'not in the sample' };

    this.#learnt ??= JSON.parse(await readFile(LEARNT, 'utf8')) as Learnt;
    const { tookMs, fileOf } = this.#learnt;
    const expected = this.#killers.get(activeMutant.fileName);
    const rank = (file: string): number => (file === expected ? 0 : (tookMs[file] ?? 0));
    const files = testFilter.toSorted((a, b) => rank(a) - rank(b));
    // Sooner than Stryker, which knows nothing of what the tests have started.
    const ran = await runProcess(files, { timeoutMs: timeout - 1_000, skip, mutant: activeMutant.id, hitLimit });
    if (ran.timedOut) return { status: MutantRunStatus.Timeout };
    if (ran.passed) return { status: MutantRunStatus.Survived, nrOfTests: ran.names.length };
    const killer = (ran.failed && fileOf[ran.failed]) ?? files[0] ?? '';
    this.#killers.set(activeMutant.fileName, killer);
    const failureMessage = whyOf(ran);
    return { status: MutantRunStatus.Killed, killedBy: [killer], failureMessage, nrOfTests: ran.names.length };
  }
}

/** Stryker counts from 0 here, and from 1 in its results. */
function fromOne({ line, column }: Position): Position {
  return { line: line + 1, column: column + 1 };
}

function whyOf({ failed, reason, output }: TestsRun): string {
  return failed === undefined ? `did not end well\n${output}` : `${failed}: ${reason ?? ''}`;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'shared-process', SharedProcess)];
