// Who imports whom, read from the source text: every import here stands at the start of a line and names its file.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

export interface SourceFile {
  /** Relative to the root of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** A path like `from`, or the name of a package. */
  readonly to: string;
  /** True for `import type`, which is gone when the program runs. */
  readonly typeOnly: boolean;
}

const IMPORTS = [
  /^(?:import|export)\s+(?<type>type\s+)?[\w$*{},\s]+?\sfrom\s+'(?<to>[^']+)'/gm,
  /^import\s+'(?<to>[^']+)'/gm,
  /\bimport\(\s*'(?<to>[^']+)'\s*\)/g,
  /\bnew URL\(\s*'(?<to>\.[^']+\.ts)'/g,
];

/** The project's own code: no tests, no declarations. */
export function readSources(root: string): SourceFile[] {
  const paths = globSync('{src,routes,tools}/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return paths
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(posix.join(root, path), 'utf8') }));
}

export function importsOf({ path, text }: SourceFile): Import[] {
  return IMPORTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ groups }) => {
      const to = groups?.['to'];
      if (to === undefined) return [];
      return [
        {
          from: path,
          to: to.startsWith('.') ? posix.join(posix.dirname(path), to) : packageOf(to),
          typeOnly: groups?.['type'] !== undefined,
        },
      ];
    }),
  );
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Rings of files, each told once, as the files one passes on the way round. */
export function findRings(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const rings: string[][] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) return void rings.push([...way.slice(at), file]);
    if (done.has(file)) return;
    for (const next of targets.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return rings;
}

/** The code without its comments, line by line, so that a place in it can be told. */
export function codeOf(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, ' '));
}
