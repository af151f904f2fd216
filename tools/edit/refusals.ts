// Why an edit is refused, in sentences that say what to change.
import { placesOf } from './places-of.ts';
import type { TextEncoding } from '../../src/workspace/content/text-encoding.ts';
import { nearestLines } from './nearest-lines.ts';
import type { Search } from './splice.ts';
import { linesOf } from './splice.ts';

/** Bytes of a file that are searched for something like the text that was not found. */
const SEARCHED_BYTES = 2 * 1024 * 1024;
const SHOWN_PLACES = 10;

/** The text stands in the file more than once. */
export function ambiguous(path: string, found: Search): string {
  const lines = linesOf(found, SHOWN_PLACES);
  const count = Math.max(found.starts.length, 2);
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > SHOWN_PLACES ? ', …' : ''}`;
  return `old_string stands in ${path} ${count} times (${where}). Nothing was written: add lines around it until it is unique, or set replace_all to true.`;
}

/** The text stands nowhere in the file. */
export function notFound(at: {
  path: string;
  encoding: TextEncoding;
  body: Buffer;
  input: { old_string: string };
  changed: boolean;
}): string {
  const { path, encoding, input } = at;
  const text = encoding.decode(at.body.subarray(0, SEARCHED_BYTES));
  const lead = `old_string was not found in ${path}${at.changed ? ', which has changed since it was read' : ''}. Nothing was written.`;
  if (isOnlyComposedOtherwise(text, input.old_string)) {
    return `${lead} The same text stands there in another Unicode normal form (composed or decomposed accents): copy it from the file.`;
  }
  const nearest = nearestLines(text, input.old_string);
  if (nearest === null) return `${lead} No line is like it: read the file again.`;
  return `${lead} The nearest lines are:\n${nearest}\nCopy the text exactly as it stands there, without the line numbers.`;
}

/** The encoding of the file cannot express the new text. */
export function unsayable(path: string, encoding: TextEncoding, text: string): string {
  const missing = Iterator.from(text).find((character) => encoding.encode(character) === null) ?? '';
  const shown = missing.isWellFormed() ? `"${missing}"` : 'half of a surrogate pair';
  return `${path} is ${encoding.name}, which cannot hold ${shown} of new_string. Nothing was written: use other characters.`;
}

/** Characters that are compared in another normal form: a long run of marks would take quadratic time. */
const NORMALISED_CHARS = 10_000;

function isOnlyComposedOtherwise(text: string, wanted: string): boolean {
  if (wanted.length > NORMALISED_CHARS || /\p{M}{30}/u.test(wanted) || /\p{M}{30}/u.test(text)) return false;
  const composed = wanted.normalize('NFC');
  return placesOf(text, wanted).length === 0 && placesOf(text.normalize('NFC'), composed).length > 0;
}
