// Makes the text of an error safe to show to a model: what is not seen is dropped, what could pass for the voice of
// another speaker is broken, what is too long loses its middle.
import { headOf, tailOf } from '../../contract/index.ts';
import { dropInvisible } from './sanitize-invisible.ts';
import { breakMarkers } from './sanitize-markers.ts';

/** Characters of an error text, with its wrapper, that a model gets. */
export const MAX_ERROR_CHARS = 10_000;
/** Of longer texts only head and tail are looked at. */
const MAX_READ_CHARS = 1_000_000;
const OPEN = '<tool_use_error>';
const CLOSE = '</tool_use_error>';
/** Characters that the wrapper adds to a text. */
export const WRAPPER_CHARS = OPEN.length + CLOSE.length;

/** What stands where the middle was. Fewer characters left out never make it longer. */
export type DescribeGap = (leftOut: number, total: number) => string;

export interface SanitizedText {
  readonly text: string;
  /** True when the middle was left out. */
  readonly cut: boolean;
}

/**
 * Gives valid Unicode of at most `limit` characters. Sanitising twice is sanitising once. Text that is sanitised in
 * parts must be sanitised again when joined.
 */
export function sanitizeError(text: string, limit = MAX_ERROR_CHARS): string {
  return sanitizeWithin(text, limit).text;
}

/** As {@link sanitizeError}, and says whether something was left out. */
export function sanitizeWithin(text: string, limit: number, gap: DescribeGap = countedGap): SanitizedText {
  const total = text.length;
  const clean = sanitize(leaveOutMiddle(text, { limit: MAX_READ_CHARS, total, gap }));
  if (clean.length <= limit) return { text: clean, cut: total > MAX_READ_CHARS };
  // Where the middle was, other characters meet: they are looked at again.
  return { text: sanitize(leaveOutMiddle(clean, { limit, total, gap })), cut: true };
}

/** Whether an error text, as far as it is looked at, holds what no model gets: what is not seen, or passes for another speaker. */
export function needsSanitizing(text: string): boolean {
  const read = headOf(text, MAX_ERROR_CHARS);
  return sanitize(read) !== read;
}

/** Sanitises a text and puts it into the tag by which a model knows an error. At most 10,000 characters in all. */
export function wrapToolError(text: string): string {
  return OPEN + sanitizeError(text, MAX_ERROR_CHARS - WRAPPER_CHARS) + CLOSE;
}

function sanitize(text: string): string {
  return breakMarkers(dropInvisible(text));
}

function countedGap(leftOut: number, total: number): string {
  return `${leftOut} of ${total} characters were left out here`;
}

/** @param cut `total`: characters of the text before anything was taken from it */
function leaveOutMiddle(text: string, { limit, total, gap }: { limit: number; total: number; gap: DescribeGap }): string {
  if (text.length <= limit) return text;
  const longestNote = noteOf(gap(total, total));
  const room = limit - longestNote.length;
  if (room < longestNote.length) return headOf(text, limit);
  const tailChars = Math.floor(room / 2);
  const head = dropInvisible(headOf(text, room - tailChars));
  const tail = dropInvisible(tailOf(text, tailChars));
  return head + noteOf(gap(total - head.length - tail.length, total)) + tail;
}

function noteOf(words: string): string {
  return `\n[... ${words} ...] `;
}
