// What hooks want a model to know, beside a result.
import type { ResultContent } from '../contract/index.ts';
import { sanitizeError } from './sanitize-error.ts';

/** Adds the notes of hooks to a result. Hooks may repeat what a tool printed, so their text is made safe as that of errors is. */
export function withNotes(content: ResultContent, notes: readonly string[] = []): ResultContent {
  const text = notes
    .filter((note) => note !== '')
    .map((note) => `[hook] ${sanitizeError(note)}`)
    .join('\n\n');
  if (text === '') return content;
  if (typeof content === 'string') return `${content}\n\n${text}`;
  // Models' APIs refuse a text beside references.
  return content.some(({ type }) => type === 'tool_reference') ? content : [...content, { type: 'text', text }];
}
