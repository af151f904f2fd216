import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Mutant {
  readonly key: string;
  /** As Stryker says it: `Killed`, `Timeout`, `Survived`, `NoCoverage`, `RuntimeError`. */
  readonly status: string;
  /** The first test file that noticed. */
  readonly killedBy?: string | undefined;
}

const fileOf = (folder: string): string => join(import.meta.dirname, 'reports', `${folder}.json`);

/** The last report of a folder. */
export function readReport(folder: string): Mutant[] {
  return JSON.parse(readFileSync(fileOf(folder), 'utf8')) as Mutant[];
}

export function writeReport(folder: string, mutants: readonly Mutant[]): void {
  mkdirSync(dirname(fileOf(folder)), { recursive: true });
  writeFileSync(fileOf(folder), `${JSON.stringify(mutants, undefined, 1)}\n`);
}

export function isUnnoticed({ status }: Mutant): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

/** Prints how many of all mutants were noticed. */
export function tellScore(folder: string, mutants: readonly Mutant[]): void {
  const noticed = mutants.filter((mutant) => !isUnnoticed(mutant)).length;
  const counts = Object.entries(Object.groupBy(mutants, ({ status }) => status)).map(([status, all]) => `${status} ${all?.length}`);
  console.log(`${folder}: ${((100 * noticed) / mutants.length).toFixed(1)} % of ${mutants.length} mutants noticed (${counts.join(', ')})`);
}
