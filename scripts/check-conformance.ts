// Holds docs/conformance.md against the tests that it names. Below a rule (`- …`) stands one line for each of its tests,
// `file` › name, or one that begins with "Without a test:".
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
export const CONFORMANCE_PAGE = join(PROJECT, 'docs/conformance.md');

export interface NamedTest {
  /** Path from the project. */
  readonly file: string;
  readonly name: string;
}

export interface Rule {
  readonly text: string;
  /** In the page, from 1 on. */
  readonly line: number;
  readonly tests: readonly NamedTest[];
  /** Why it has no test. */
  readonly reason: string | undefined;
}

export function rulesOf(page: string): Rule[] {
  const items = page.split('\n').reduce<{ line: number; lines: string[] }[]>((found, text, index) => {
    if (text.startsWith('- ')) found.push({ line: index + 1, lines: [text.slice(2)] });
    else if (text.startsWith('  ')) found.at(-1)?.lines.push(text.trim());
    return found;
  }, []);
  return items.map(({ line, lines: [text = '', ...below] }) => ({
    text,
    line,
    tests: below.flatMap((each) => {
      const [, file, name] = /^`([^`]+)` › (.+)$/.exec(each) ?? [];
      return file === undefined || name === undefined ? [] : [{ file, name }];
    }),
    reason: below.map((each) => /^Without a test: (.+)$/.exec(each)?.[1]).find((reason) => reason !== undefined),
  }));
}

const TEST = /\b(?:test|it)\s*\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g;

/** Names of the tests in a source, as they are written there: also those that are completed as it runs. */
export function testNames(source: string): Set<string> {
  return new Set(
    [...source.matchAll(TEST)].map(([, single, double, plain]) => (single ?? double ?? plain ?? '').replaceAll(/\\(.)/g, '$1')),
  );
}

/**
 * @param read gives the text of a file of the project, `undefined` where there is none
 * @returns what is wrong, one sentence each
 */
export function conformanceFaults(page: string, read: (file: string) => string | undefined): string[] {
  const names = new Map<string, Set<string> | undefined>();
  const namesIn = (file: string): Set<string> | undefined => {
    if (!names.has(file)) {
      const source = read(file);
      names.set(file, source === undefined ? undefined : testNames(source));
    }
    return names.get(file);
  };
  return rulesOf(page).flatMap(({ line, tests, reason }) => {
    if (tests.length === 0 && reason === undefined) return [`Line ${line}: the rule has neither a test nor a reason why it has none.`];
    return tests.flatMap(({ file, name }) => {
      const known = namesIn(file);
      if (known === undefined) return [`Line ${line}: there is no file ${file}.`];
      return known.has(name) ? [] : [`Line ${line}: ${file} has no test named "${name}".`];
    });
  });
}

/** What is wrong with the page of the project. */
export function faultsOfPage(): string[] {
  const read = (file: string): string | undefined => {
    const path = join(PROJECT, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  return conformanceFaults(readFileSync(CONFORMANCE_PAGE, 'utf8'), read);
}

if (import.meta.main) {
  const faults = faultsOfPage();
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
