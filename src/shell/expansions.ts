// Which expansions only read.
import type { ParameterExpansionPart, ParameterOperation, Word, WordPart } from 'unbash';
import { isPlainArithmetic } from './arithmetic.ts';
import type { Scope } from './scope.ts';

const READING_DEFAULTS = new Set(['-', ':-', '+', ':+']);
/** A name as a subscript would be evaluated. */
const PLAIN_SUBSCRIPT = /^(\d+|-\d+|[@*])$/;
/** Those of `${x@…}` that only quote or change the case; `P` runs what a prompt may hold. */
const QUOTING = /^[QULuEk]$/;

/** Of the escapes in `$'…'` those of ASCII characters: others are read differently by bash and the parser, or end the text. */
const PLAIN_ESCAPES = /^\$'(?:[^\\]|\\[abeEfnrtv\\'"?]|\\x(?!00)[0-7][\da-fA-F]|\\(?!000)[01][0-7][0-7]|\\u00(?!00)[0-7][\da-fA-F])*'$/;

/** Whether expanding this part of a word runs nothing but what the scope accepts and changes nothing. */
export function isHarmlessPart(part: WordPart, scope: Scope): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'SimpleExpansion':
      return true;
    case 'AnsiCQuoted':
      return PLAIN_ESCAPES.test(part.text);
    case 'DoubleQuoted':
      return part.parts.every((child) => isHarmlessPart(child, scope));
    case 'Glob':
    case 'BraceExpansion':
      return (part.parts ?? []).every((child) => isHarmlessPart(child, scope));
    case 'CommandExpansion':
      return part.script !== undefined && scope.readsOnly(part.script);
    case 'ArithmeticExpansion':
      return part.expression !== undefined && isPlainArithmetic(part.expression, scope);
    case 'ParameterExpansion':
      return isHarmlessParameter(part, scope);
    case 'ProcessSubstitution':
      return part.operator === '<' && part.script !== undefined && scope.readsOnly(part.script);
    case 'LocaleString':
    case 'ExtendedGlob':
      return false;
  }
}

/** Whether expanding every part of this word is harmless. */
export function isHarmlessWord(word: Word, scope: Scope): boolean {
  return (word.parts ?? []).every((part) => isHarmlessPart(part, scope));
}

function isHarmlessParameter(part: ParameterExpansionPart, scope: Scope): boolean {
  if (part.prefix === '!') return false;
  if (part.index !== undefined && !PLAIN_SUBSCRIPT.test(part.index.text)) return false;
  return part.operation === undefined || isHarmlessOperation(part.operation, scope);
}

function isHarmlessOperation(operation: ParameterOperation, scope: Scope): boolean {
  switch (operation.type) {
    case 'Default':
      return READING_DEFAULTS.has(operation.operator) && isHarmlessWord(operation.operand, scope);
    case 'Remove':
      return isHarmlessWord(operation.operand, scope);
    case 'Replace':
      return isHarmlessWord(operation.pattern, scope) && isHarmlessWord(operation.replacement, scope);
    case 'Slice':
      return [operation.offset, operation.length].every((word) => word === undefined || /^\s*-?\d+$/.test(word.text));
    case 'CaseModification':
      return operation.operand === undefined || isHarmlessWord(operation.operand, scope);
    case 'Transform':
      return QUOTING.test(operation.operand.text);
    case 'Names':
    case 'Unknown':
      return false;
  }
}
