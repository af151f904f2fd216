// What a server says about a place: text, code of some language, or several of both.
import { z } from 'zod';
import { clipped } from '../contract/index.ts';

const MAX_CHARS = 20_000;

const Marked = z.union([
  z.string(),
  z.object({ language: z.string(), value: z.string() }),
  z.object({ kind: z.string(), value: z.string() }),
]);
const Hover = z.object({ contents: z.union([Marked, z.array(Marked)]) });

/** Empty when it says nothing. */
export function readHover(answer: unknown): string {
  const contents = Hover.safeParse(answer).data?.contents ?? [];
  return clipped([contents].flat().map(textOf).join('\n\n').trim(), MAX_CHARS);
}

function textOf(marked: z.output<typeof Marked>): string {
  if (typeof marked === 'string') return marked;
  return 'language' in marked ? `\`\`\`${marked.language}\n${marked.value}\n\`\`\`` : marked.value;
}
