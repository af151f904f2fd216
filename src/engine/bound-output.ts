// How much of a result the model sees. Writing the rest to a file is done elsewhere.

export interface BoundedText {
  /** The head of the text, at most as long as asked for. */
  readonly text: string;
  readonly cut: boolean;
  /** Length of the whole text. */
  readonly totalChars: number;
}

/** Keeps the head of a text. Characters are UTF-16 code units; a surrogate pair is never split, so it may be one shorter. */
export function boundText(text: string, maxChars: number): BoundedText {
  const totalChars = text.length;
  if (totalChars <= maxChars) return { text, cut: false, totalChars };
  return { text: headOf(text, maxChars), cut: true, totalChars };
}

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

function splitsPair(text: string, index: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, index - 1), index + 1));
}

/**
 * The note that stands after a result that was cut.
 * @param cut `shownChars` when the result is the head of the whole; absent when it may be other parts as well
 */
export function describeCut(cut: { readonly shownChars?: number; readonly totalBytes: number; readonly path: string }): string {
  const shown = cut.shownChars === undefined ? 'Not all of it is shown.' : `Only the first ${cut.shownChars} characters are shown.`;
  return (
    `[${shown} The whole output, ${cut.totalBytes} bytes, is in ${cut.path}. ` +
    'Read may open that file, with an offset and a limit, to see the rest.]'
  );
}

/** What the model gets when a tool succeeded and said nothing. */
export function emptyResultText(name: string): string {
  return `${name} finished without output.`;
}
