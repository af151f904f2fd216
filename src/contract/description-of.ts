import { readFileSync } from 'node:fs';

/** A tool's `description`: what stands in `description.md` beside the module whose `import.meta.url` is given, read once. */
export function descriptionOf(moduleUrl: string): () => string {
  const text = readFileSync(new URL('./description.md', moduleUrl), 'utf8').trim();
  return () => text;
}
