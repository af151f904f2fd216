// A copy of JSON that is cut down to what a reader can take in. What was left out is said where it was.

/** Characters that a text keeps at most, once something has to go. */
const TEXT_CHARS = 500;
/** Entries that an array or object keeps at most, and levels that are kept, once something has to go. */
const ENTRIES = 20;
const DEPTH = 6;

export interface ShortCopy {
  readonly value: unknown;
  /** Characters of its JSON. */
  readonly chars: number;
  /** True when something was left out. */
  readonly shortened: boolean;
}

/** The value itself where its JSON has at most `room` characters, else a copy that has about as many at the most. */
export function shortCopy(value: unknown, room: number): ShortCopy {
  const chars = charsOf(value, room);
  if (chars <= room) return { value, chars, shortened: false };
  const copy = shorten(value, { left: room }, DEPTH);
  return { value: copy, chars: charsOf(copy, Infinity), shortened: true };
}

/** Characters of the value's JSON. Counting ends past `limit`, so that a large value costs no more than a small one. */
function charsOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length > limit ? value.length : JSON.stringify(value).length;
  if (typeof value !== 'object' || value === null) return String(value).length;
  return Array.isArray(value) ? charsOfList(value, limit) : charsOfObject(value, limit);
}

function charsOfList(list: readonly unknown[], limit: number): number {
  let chars = list.length === 0 ? 2 : 1;
  for (const item of list) {
    if (chars > limit) break;
    chars += 1 + charsOf(item, limit - chars);
  }
  return chars;
}

function charsOfObject(object: object, limit: number): number {
  const entries = Object.entries(object);
  let chars = entries.length === 0 ? 2 : 1;
  for (const [key, item] of entries) {
    if (chars > limit) break;
    chars += charsOf(key, limit) + 2;
    chars += charsOf(item, limit - chars);
  }
  return chars;
}

function shorten(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value === 'string') return shortenText(value, room);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  return Array.isArray(value) ? shortenList(value, room, depth) : shortenObject(value, room, depth);
}

function shortenText(text: string, room: { left: number }): string {
  const chars = Math.max(0, Math.min(TEXT_CHARS, room.left));
  const kept = text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}… (${text.length} characters)`;
  room.left -= JSON.stringify(kept).length;
  return kept;
}

function shortenList(list: readonly unknown[], room: { left: number }, depth: number): unknown[] {
  const kept: unknown[] = [];
  for (const item of list) {
    if (kept.length === ENTRIES || room.left <= 0) return [...kept, `… (${list.length - kept.length} more)`];
    room.left -= 1;
    kept.push(shorten(item, room, depth - 1));
  }
  return kept;
}

function shortenObject(object: object, room: { left: number }, depth: number): object {
  const entries = Object.entries(object);
  const kept: [string, unknown][] = [];
  for (const [key, item] of entries) {
    if (kept.length === ENTRIES || room.left <= 0 || key.length > TEXT_CHARS) {
      kept.push(['…', `${entries.length - kept.length} more`]);
      break;
    }
    room.left -= key.length + 4;
    kept.push([key, shorten(item, room, depth - 1)]);
  }
  return Object.fromEntries(kept);
}
