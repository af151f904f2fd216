// The difference between two texts as people read it. It is a picture, never what is applied.
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { View } from '../../contract/index.ts';

/** Characters of either text beyond which no difference is drawn: splitting alone would hold up everybody else. */
export const DIFFED_CHARS = 512 * 1024;
/** Time after which very different texts are given up on. */
const TIMEOUT_MS = 100;
const MAX_DIFF_CHARS = 20_000;

/** A unified diff, cut at a line after 20,000 characters; `null` when the texts are too large or too different to draw. */
export function fileDiff(path: string, before: string, after: string): string | null {
  if (Math.max(before.length, after.length) > DIFFED_CHARS) return null;
  const options = { context: 3, timeout: TIMEOUT_MS, headerOptions: FILE_HEADERS_ONLY };
  const diff = createTwoFilesPatch(path, path, before, after, undefined, undefined, options);
  if (diff === undefined || diff.length <= MAX_DIFF_CHARS) return diff ?? null;
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF_CHARS))}\n… the rest of the difference is not shown\n`;
}

/** A view that shows a difference, or only its title where there is none to draw. */
export function diffView(title: string, path: string, diff: string | null): View {
  return diff === null ? { title } : { title, body: { kind: 'diff', path, diff } };
}
