const CONTINUED = ' … (continued in the description of the parameters)';

export interface CutDescription {
  readonly head: string;
  /** What did not fit. */
  readonly rest?: string;
}

/** The beginning of a text, up to the end of a paragraph, a sentence or a word, in at most `maxChars` characters with its note. */
export function cutDescription(text: string, maxChars: number): CutDescription {
  if (text.length <= maxChars) return { head: text };
  const room = text.slice(0, maxChars - CONTINUED.length);
  const end = ['\n\n', '. ', '\n', ' '].map((mark) => room.lastIndexOf(mark) + mark.trimEnd().length).find((at) => at > room.length / 2);
  const head = room.slice(0, end ?? room.length).replace(/[\uD800-\uDBFF]$/, '');
  return { head: `${head.trimEnd()}${CONTINUED}`, rest: text.slice(head.length).trimStart() };
}
