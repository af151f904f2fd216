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
  return typeof content === 'string' ? `${content}\n\n${text}` : [...content, { type: 'text', text }];
}
