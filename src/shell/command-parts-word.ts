import type { CommandArgument, Word, WordPart } from 'unbash';
import type { CommandWord } from '../contract/index.ts';

/** What is known of a word before the shell expands it. */
export function readWord(argument: CommandArgument): CommandWord {
  if (argument.type === 'Assignment') {
    // `export NAME=value`: to the program it is a word like any other.
    const { name, value, append, index, text } = argument;
    const literal = value.type === 'Word' && append !== true && index === undefined ? readWord(value).value : null;
    return { value: literal === null ? null : `${name}=${literal}`, written: text };
  }
  return knownWord(argument);
}

function knownWord(word: Word): CommandWord {
  const written = word.text;
  if (word.parts === undefined) return { value: word.value, written };
  const pieces = word.parts.map(readPiece);
  if (pieces.includes(null)) return { value: null, written };
  const known = pieces.filter((piece) => piece !== null);
  if (known.every(({ glob }) => !glob)) return { value: known.map(({ text }) => text).join(''), written };
  const pattern = known.map(({ text, glob }) => (glob ? text : text.replace(/[*?[\]\\]/g, '\\$&'))).join('');
  return { value: null, written, pattern };
}

interface Piece {
  readonly text: string;
  /** True for a wildcard. */
  readonly glob: boolean;
}

function readPiece(part: WordPart): Piece | null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return { text: part.value, glob: false };
    case 'DoubleQuoted': {
      const texts = part.parts.map((child) => (child.type === 'Literal' ? child.value : null));
      return texts.includes(null) ? null : { text: texts.join(''), glob: false };
    }
    case 'Glob':
      return (part.parts ?? []).every((child) => child.type === 'Literal') ? { text: part.text, glob: true } : null;
    default:
      return null;
  }
}
