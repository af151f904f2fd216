import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes files under a directory. Each is a second older than the one before it, so that the first is the newest. */
export function writeTree(directory: string, files: Readonly<Record<string, string | Buffer>>): void {
  const newest = 1_750_000_000;
  for (const [age, [path, content]] of Object.entries(files).entries()) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, newest - age, newest - age);
  }
}

/** Files without content. */
export function empty(...paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, '']));
}
