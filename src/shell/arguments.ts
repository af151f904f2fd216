// What is known of an argument before the shell has expanded it. The danger is a word that turns into an option.
import type { DoubleQuotedChild, Word, WordPart } from 'unbash';
import { isHarmlessPart } from './expansions.ts';
import { NOTHING_KNOWN, type Scope } from './scope.ts';

export type Argument =
  | { readonly kind: 'literal'; readonly text: string }
  /** Exactly one word, which starts with `prefix`. */
  | { readonly kind: 'value'; readonly prefix: string }
  /** Any number of words, each of which starts with `prefix`. */
  | { readonly kind: 'pattern'; readonly prefix: string }
  /** Variables that hold integers: one word, or none where they are not set yet. */
  | { readonly kind: 'integer' }
  /** Any number of any words. */
  | { readonly kind: 'anything' };

interface Reading {
  /** Text known to stand at the start of every resulting word. */
  prefix: string;
  /** True until something is not known literally. */
  literal: boolean;
  many: boolean;
  unknown: boolean;
  /** Whether a `{` in the word may begin a list of words. */
  readonly braced: boolean;
}

/** Reads one argument; `null` when expanding it could do more than read. */
export function readArgument(word: Word, scope: Scope): Argument | null {
  const braced = mayHoldList(word);
  if (word.parts === undefined && !braced) return { kind: 'literal', text: word.value };
  const reading: Reading = { prefix: '', literal: true, many: false, unknown: false, braced };
  if (word.parts === undefined) readLiteral(word.text, word.value, reading);
  for (const part of word.parts ?? []) {
    if (!isHarmlessPart(part, scope)) return null;
    readPart(part, reading, scope);
  }
  if (reading.unknown) return { kind: 'anything' };
  if (reading.literal) return { kind: 'literal', text: reading.prefix };
  if (word.parts?.every((part) => isVariableIn(scope.integers, part)) === true) return { kind: 'integer' };
  return { kind: reading.many ? 'pattern' : 'value', prefix: reading.prefix };
}

/** The text of a word in which nothing is expanded; `null` for any other. */
export function literalText(word: Word): string | null {
  const argument = readArgument(word, NOTHING_KNOWN);
  return argument?.kind === 'literal' ? argument.text : null;
}

/** Bash finds lists in braces that the parser does not: `{a},b}` is two words. */
function mayHoldList({ parts, text }: Word): boolean {
  if (!text.includes('{')) return false;
  const unquoted =
    parts === undefined ? text : parts.map((part) => ('parts' in part || part.type.endsWith('Quoted') ? '' : part.text)).join('');
  const plain = unquoted.replaceAll(/\\./gs, '');
  const start = plain.indexOf('{');
  return start !== -1 && /,|\.\./.test(plain.slice(start, plain.lastIndexOf('}') + 1));
}

function readPart(part: WordPart, reading: Reading, { integers }: Scope): void {
  switch (part.type) {
    case 'Literal':
      readLiteral(part.text, part.value, reading);
      return;
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      if (reading.literal) reading.prefix += part.value;
      return;
    case 'DoubleQuoted':
      for (const child of part.parts) readQuoted(child, reading);
      return;
    case 'BraceExpansion':
      endPrefixAtBrace(reading);
      return;
    case 'Glob':
      reading.literal = false;
      reading.many = true;
      return;
    case 'ProcessSubstitution':
      if (reading.literal) reading.prefix += '/dev/fd/';
      reading.literal = false;
      return;
    default:
      reading.literal = false;
      // Unquoted, so that it is split into words, none of which is known. A number is one word.
      if (!isNumber(part) && !isVariableIn(integers, part)) reading.unknown = true;
  }
}

function readLiteral(text: string, value: string, reading: Reading): void {
  const before = reading.braced ? /^((?:[^\\{]|\\[^])*)\{/.exec(text)?.[1] : undefined;
  if (reading.literal) reading.prefix += before?.replaceAll(/\\([^])/g, '$1') ?? value;
  if (before !== undefined) endPrefixAtBrace(reading);
}

/** What stands in front of everything else may be the start of anything. */
function endPrefixAtBrace(reading: Reading): void {
  if (reading.literal && reading.prefix === '') reading.unknown = true;
  reading.literal = false;
  reading.many = true;
}

/** A sum, a count, an exit code or a length. */
function isNumber({ type, text }: WordPart): boolean {
  return type === 'ArithmeticExpansion' || (isParameter(type) && /^\$([#?$]|\{#\w+\})$/.test(text));
}

function isVariableIn(integers: ReadonlySet<string>, { type, text }: WordPart): boolean {
  const [, name = ''] = /^\$\{?(\w+)\}?$/.exec(text) ?? [];
  return isParameter(type) && integers.has(name);
}

function isParameter(type: WordPart['type']): boolean {
  return type === 'SimpleExpansion' || type === 'ParameterExpansion';
}

function readQuoted(part: DoubleQuotedChild, reading: Reading): void {
  if (part.type === 'Literal') {
    if (reading.literal) reading.prefix += part.value;
    return;
  }
  reading.literal = false;
  if (/\$\{?[@*]|\[[@*]\]/.test(part.text)) reading.unknown = true;
}
