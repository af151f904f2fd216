import { LRUCache } from 'lru-cache';

const MAX_LINES = 1_000;
const MAX_CHARS = 500_000;

/**
 * The same function, which remembers its answers for the lines asked last: one call of a tool asks the same of its line
 * several times. Answers are shared, so that they must not be changed.
 */
export function remembered<T>(answer: (line: string) => T, maxLines = MAX_LINES): (line: string) => T {
  const known = new LRUCache<string, { readonly answer: T }>({
    max: maxLines,
    maxSize: MAX_CHARS,
    sizeCalculation: (_, line) => line.length + 1,
  });
  return (line) => {
    const found = known.get(line);
    if (found !== undefined) return found.answer;
    const fresh = { answer: answer(line) };
    known.set(line, fresh);
    return fresh.answer;
  };
}
