// JSON text taken apart one level at a time, and put together again without losing a byte: blanks, escapes and numbers
// stay as they were written. The text must be valid JSON; nothing here finds out whether it is.

/** One member of an object or list. Its own text is `lead + label + value + trail`. */
export interface Part {
  /** Blanks before it. */
  readonly lead: string;
  /** Its name; `null` in a list. */
  readonly key: string | null;
  /** The name as it is written, up to the value; empty in a list. */
  readonly label: string;
  readonly value: string;
  /** Blanks between it and the comma after it. */
  readonly trail: string;
}

export interface Container {
  readonly kind: 'object' | 'list';
  readonly parts: readonly Part[];
  /** Blanks before the closing bracket. */
  readonly close: string;
}

/** @param text an object or list, without blanks around it */
export function takeApart(text: string): Container {
  const kind = text.startsWith('{') ? 'object' : 'list';
  const parts: Part[] = [];
  for (let at = 1; ;) {
    const begin = blanksEnd(text, at);
    const lead = text.slice(at, begin);
    if (isClosing(text[begin])) return { kind, parts, close: lead };
    const valueBegin = kind === 'object' ? blanksEnd(text, text.indexOf(':', stringEnd(text, begin)) + 1) : begin;
    const end = valueEnd(text, valueBegin);
    const next = blanksEnd(text, end);
    const last = text[next] !== ',';
    parts.push({
      lead,
      key: kind === 'object' ? (JSON.parse(text.slice(begin, stringEnd(text, begin))) as string) : null,
      label: text.slice(begin, valueBegin),
      value: text.slice(valueBegin, end),
      trail: last ? '' : text.slice(end, next),
    });
    if (last) return { kind, parts, close: text.slice(end, next) };
    at = next + 1;
  }
}

export function putTogether({ kind, parts, close }: Container): string {
  const inside = parts.map(({ lead, label, value, trail }) => lead + label + value + trail).join(',') + close;
  return kind === 'object' ? `{${inside}}` : `[${inside}]`;
}

function isClosing(character: string | undefined): boolean {
  return character === '}' || character === ']' || character === undefined;
}

function blanksEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first === '{' || first === '[') return containerEnd(text, from);
  const rest = /[\s,\]}]/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}

function containerEnd(text: string, from: number): number {
  const mark = /["{}[\]]/g;
  mark.lastIndex = from;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found;
    if (character === '"') mark.lastIndex = stringEnd(text, found.index);
    else depth += character === '{' || character === '[' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}

function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}
