// Files to search and to read.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILES_A_DIRECTORY = 100;
/** One in so many files has the text that is looked for. */
const ONE_IN = 200;

/** What is looked for in the files of {@link plantTree}. */
export const NEEDLE = 'theNeedleInTheHay';

/** Many small source files in directories of a hundred. */
export async function plantTree(directory: string, files: number): Promise<void> {
  for (let first = 0; first < files; first += FILES_A_DIRECTORY) {
    const part = join(directory, 'src', `part-${first / FILES_A_DIRECTORY}`);
    await mkdir(part, { recursive: true });
    const numbers = Array.from({ length: Math.min(FILES_A_DIRECTORY, files - first) }, (_, n) => first + n);
    await Promise.all(numbers.map((n) => writeFile(join(part, `file-${n}.ts`), sourceOf(n))));
  }
}

function sourceOf(n: number): string {
  const lines = Array.from({ length: 20 }, (_, line) => `export const value_${n}_${line} = compute(${n}, ${line}, 'some text');`);
  return `${[...lines, ...(n % ONE_IN === 0 ? [`// ${NEEDLE}`] : [])].join('\n')}\n`;
}

/** Lines as source code has them. */
export function linesOf(count: number): string {
  return Array.from({ length: count }, (_, n) => `  const line${n} = next(${n});`).join('\n');
}
