// What is known of an argument before the shell has expanded it. The danger is a word that turns into an option.
import type { DoubleQuotedChild, Word, WordPart } from 'unbash';
import { isHarmlessPart, type JudgeScript } from './expansions.ts';

export type Argument =
  | { readonly kind: 'literal'; readonly text: string }
  /** Exactly one word, which starts with `prefix`. */
  | { readonly kind: 'value'; readonly prefix: string }
  /** Any number of words, each of which starts with `prefix`. */
  | { readonly kind: 'pattern'; readonly prefix: string }
  /** Any number of any words. */
  | { readonly kind: 'anything' };

interface Reading {
  /** Text known to stand at the start of every resulting word. */
  prefix: string;
  /** True until something is not known literally. */
  literal: boolean;
  many: boolean;
  unknown: boolean;
}

/** Reads one argument; `null` when expanding it could do more than read. */
export function readArgument(word: Word, judge: JudgeScript): Argument | null {
  if (word.parts === undefined) return { kind: 'literal', text: word.value };
  const reading: Reading = { prefix: '', literal: true, many: false, unknown: false };
  for (const part of word.parts) {
    if (!isHarmlessPart(part, judge)) return null;
    readPart(part, reading);
  }
  if (reading.unknown) return { kind: 'anything' };
  if (reading.literal) return { kind: 'literal', text: reading.prefix };
  return { kind: reading.many ? 'pattern' : 'value', prefix: reading.prefix };
}

/** The text of a word in which nothing is expanded; `null` for any other. */
export function literalText(word: Word): string | null {
  const argument = readArgument(word, () => false);
  return argument?.kind === 'literal' ? argument.text : null;
}

function readPart(part: WordPart, reading: Reading): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      if (reading.literal) reading.prefix += part.value;
      return;
    case 'DoubleQuoted':
      for (const child of part.parts) readQuoted(child, reading);
      return;
    case 'Glob':
    case 'BraceExpansion':
      reading.literal = false;
      reading.many = true;
      return;
    case 'ProcessSubstitution':
      if (reading.literal) reading.prefix += '/dev/fd/';
      reading.literal = false;
      return;
    default:
      // Unquoted, so that it is split into words, none of which is known.
      reading.literal = false;
      reading.unknown = true;
  }
}

function readQuoted(part: DoubleQuotedChild, reading: Reading): void {
  if (part.type === 'Literal') {
    if (reading.literal) reading.prefix += part.value;
    return;
  }
  reading.literal = false;
  if (/^\$\{?[@*]/.test(part.text)) reading.unknown = true;
}
