/** Pages of a document, counted from 1, both ends included; `last` is Infinity for "to the end". */
export interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Reads "3", "1-5" or "7-"; `null` when it is none of these. */
export function parsePages(pages: string): PageRange | null {
  const match = /^\s*([1-9]\d{0,5})\s*(?:(-)\s*([1-9]\d{0,5})?\s*)?$/.exec(pages);
  if (!match) return null;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : match[3] === undefined ? Infinity : Number(match[3]);
  return last >= first ? { first, last } : null;
}
