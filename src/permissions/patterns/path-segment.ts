// One name of a path pattern: `*`, `?`, `[a-z]` and `\` as gitignore has them. Matching goes back to the last star alone.

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'many' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [from: string, to: string])[] };

export interface Segment {
  /** The name itself, of a pattern without wildcards. */
  readonly literal?: string;
  /** What every name begins with that matches. */
  readonly head: string;
  readonly tokens: readonly Token[];
}

const ONE: Token = { kind: 'one' };
const MANY: Token = { kind: 'many' };

/** @throws Error that says what to change */
export function parseSegment(text: string): Segment {
  const characters = Array.from(text);
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    if (character === '[') {
      const { token, end } = parseClass(characters, index);
      tokens.push(token);
      index = end;
    } else if (character === '*') {
      if (tokens.at(-1) !== MANY) tokens.push(MANY);
    } else if (character === '?') {
      tokens.push(ONE);
    } else if (character === '\\') {
      index += 1;
      const next = characters[index];
      if (next === undefined) throw new Error('a backslash stands at the end: write two for a backslash itself');
      tokens.push({ kind: 'text', text: next });
    } else {
      tokens.push({ kind: 'text', text: character });
    }
  }
  const wild = tokens.findIndex(({ kind }) => kind !== 'text');
  const head = tokens.slice(0, wild === -1 ? undefined : wild).map((token) => (token.kind === 'text' ? token.text : ''));
  return { head: head.join(''), tokens, ...(wild === -1 && { literal: head.join('') }) };
}

function parseClass(characters: readonly string[], start: number): { token: Token; end: number } {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
  const ranges: [string, string][] = [];
  const first = start + (negated ? 2 : 1);
  let index = first;
  for (; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    if (character === ']' && index > first) return { token: { kind: 'class', negated, ranges }, end: index };
    if (character === '[' && characters[index + 1] === ':')
      throw new Error('[:names:] are not known here: write the characters, such as [a-z]');
    if (character === '\\') index += 1;
    const from = characters[index] ?? '';
    const isRange = characters[index + 1] === '-' && characters[index + 2] !== ']' && characters[index + 2] !== undefined;
    ranges.push([from, isRange ? (characters[index + 2] ?? from) : from]);
    if (isRange) index += 2;
  }
  throw new Error(String.raw`a [ is not closed: write ] behind it, or \[ for the character itself`);
}

/** Whether the pattern is that of the whole name. */
export function matchSegment({ literal, head, tokens: segment }: Segment, name: string): boolean {
  if (literal !== undefined || !name.startsWith(head)) return literal === name;
  const characters = Array.from(name);
  let token = 0;
  let back: { token: number; index: number } | undefined;
  let index = 0;
  while (index < characters.length) {
    const current = segment[token];
    if (current?.kind === 'many') {
      back = { token: token + 1, index };
      token += 1;
    } else if (current !== undefined && matchesOne(current, characters[index] ?? '')) {
      token += 1;
      index += 1;
    } else if (back !== undefined) {
      back = { token: back.token, index: back.index + 1 };
      ({ token, index } = back);
    } else {
      return false;
    }
  }
  return segment.slice(token).every(({ kind }) => kind === 'many');
}

function matchesOne(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'text':
      return token.text === character;
    case 'one':
    case 'many':
      return true;
    case 'class':
      return token.negated !== token.ranges.some(([from, to]) => character >= from && character <= to);
  }
}
