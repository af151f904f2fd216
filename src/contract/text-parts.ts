// Parts of a text. Characters are UTF-16 code units; a surrogate pair is never split, so a part may be one shorter.

/** The first characters of a text, without half a surrogate pair at the end. */
export function headOf(text: string, maxChars: number): string {
  const end = Math.max(0, Math.floor(maxChars));
  return text.slice(0, splitsPair(text, end) ? end - 1 : end);
}

/** The last characters of a text, without half a surrogate pair at the start. */
export function tailOf(text: string, maxChars: number): string {
  const start = Math.max(0, text.length - Math.max(0, Math.floor(maxChars)));
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/** A text that is never longer than `most`: of a longer one its head, and … for the rest. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${headOf(text, most - 1)}…` : text;
}

function splitsPair(text: string, index: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, index - 1), index + 1));
}
