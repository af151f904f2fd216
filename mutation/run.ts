// node mutation/run.ts <folder of src> [--every <n>] [--offset <n>] [--files <glob>] [--survivors]
//
// Mutates one folder of `src`, runs the tests that prove it against each mutant of the sample, and tells which ones no test noticed.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { FOLDERS } from './folders.ts';
import { isUnnoticed, readReport, tellScore, writeReport, type Mutant } from './report.ts';
import { isTaken, keyOf, type Selection } from './sample.ts';
import type { Tests } from './shared-process.ts';

const root = join(import.meta.dirname, '..');
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string' },
    offset: { type: 'string', default: '0' },
    survivors: { type: 'boolean', default: false },
    files: { type: 'string' },
  },
});
const [name = ''] = positionals;
const folder = FOLDERS[name];
if (!folder) {
  console.error(`Say which folder to mutate: one of ${Object.keys(FOLDERS).join(', ')}.`);
  process.exit(2);
}
process.chdir(root);
const earlier = values.survivors ? readReport(name) : [];
const selection: Selection = {
  root,
  every: Number(values.every ?? folder.every),
  offset: Number(values.offset),
  ...(values.survivors && { only: earlier.filter(isUnnoticed).map(({ key }) => key) }),
};
const tests: Tests = {
  files: globSync([...folder.tests], { exclude: [...(folder.without ?? [])] }).toSorted(),
  skip: folder.skip ?? [],
};

const results = await new Stryker({
  mutate: values.files === undefined ? [...(folder.mutate ?? [`src/${name}/**/*.ts`])] : [values.files],
  // Human sentences, mostly; what a message says is read by people, not by tests.
  mutator: { excludedMutations: ['StringLiteral'] },
  plugins: ['shared-process.ts', 'reporter.ts'].map((file) => join(import.meta.dirname, file)),
  testRunner: 'shared-process',
  tests,
  selection,
  coverageAnalysis: 'perTest',
  concurrency: 1,
  // Long, for machines that are busy: a mutant that is merely slow must not count as noticed.
  timeoutMS: 15_000,
  timeoutFactor: 2,
  disableTypeChecks: false,
  // It would be rewritten for compilers; Node strips the types, and reads none.
  tsconfigFile: 'no-tsconfig.json',
  checkers: [],
  reporters: ['progress-append-only', 'unnoticed'],
  tempDirName: 'mutation/.sandbox',
  cleanTempDir: 'always',
  ignorePatterns: ['mutation', 'bench', 'chaos', 'dist', 'docs'],
  warnings: { unknownOptions: false, preprocessorErrors: true, unserializableOptions: true, slow: false },
  allowConsoleColors: false,
}).runMutationTest();

const ran: Mutant[] = results.flatMap((mutant) => {
  const key = keyOf(mutant, root);
  const taken = mutant.status !== 'Ignored' && isTaken(key, selection);
  return taken ? [{ key, status: mutant.status, killedBy: mutant.killedBy?.[0] }] : [];
});
const again = new Set(ran.map(({ key }) => key));
const mutants = [...earlier.filter(({ key }) => !again.has(key)), ...ran];
writeReport(name, mutants);
tellScore(name, mutants);
