// Makes the text of an error safe to show to a model: what is not seen is dropped, what could pass for the voice of
// another speaker is broken, what is too long loses its middle.
import { headOf, tailOf } from './bound-output.ts';
import { dropInvisible } from './sanitize-invisible.ts';
import { breakMarkers } from './sanitize-markers.ts';

/** Characters of an error text, with its wrapper, that a model gets. */
export const MAX_ERROR_CHARS = 10_000;
/** Of longer texts only head and tail are looked at. */
const MAX_READ_CHARS = 1_000_000;
const OPEN = '<tool_use_error>';
const CLOSE = '</tool_use_error>';

/**
 * Gives valid Unicode of at most `limit` characters. Sanitising twice is sanitising once. Text that is sanitised in
 * parts must be sanitised again when joined.
 */
export function sanitizeError(text: string, limit = MAX_ERROR_CHARS): string {
  const clean = sanitize(leaveOutMiddle(text, MAX_READ_CHARS, text.length));
  // Where the middle was, other characters meet: they are looked at again.
  return clean.length <= limit ? clean : sanitize(leaveOutMiddle(clean, limit, text.length));
}

/** Sanitises a text and puts it into the tag by which a model knows an error. At most 10,000 characters in all. */
export function wrapToolError(text: string): string {
  return OPEN + sanitizeError(text, MAX_ERROR_CHARS - OPEN.length - CLOSE.length) + CLOSE;
}

function sanitize(text: string): string {
  return breakMarkers(dropInvisible(text));
}

function leaveOutMiddle(text: string, limit: number, totalChars: number): string {
  if (text.length <= limit) return text;
  const note = `\n[... the middle of this text, ${totalChars} characters in all, was left out ...] `;
  const room = limit - note.length;
  if (room < note.length) return headOf(text, limit);
  const tailChars = Math.floor(room / 2);
  return headOf(text, room - tailChars) + note + tailOf(text, tailChars);
}
