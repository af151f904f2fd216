// Which expansions only read. Arithmetic is the trap: bash evaluates names, subscripts and offsets as code.
import type { ArithmeticExpression, ParameterExpansionPart, ParameterOperation, Script, Word, WordPart } from 'unbash';

/** Judges the script of a command substitution. */
export type JudgeScript = (script: Script) => boolean;

const READING_DEFAULTS = new Set(['-', ':-', '+', ':+']);
const WRITING_OPERATORS = /^(\+\+|--|([*/%+\-&^|]|<<|>>)?=)$/;
/** A number, perhaps with a base; a name would be evaluated. */
const NUMBER = /^\d[\w#]*$/;

/** Whether expanding this part of a word runs nothing but what `judge` accepts and changes nothing. */
export function isHarmlessPart(part: WordPart, judge: JudgeScript): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
      return true;
    case 'DoubleQuoted':
      return part.parts.every((child) => isHarmlessPart(child, judge));
    case 'Glob':
    case 'BraceExpansion':
      return (part.parts ?? []).every((child) => isHarmlessPart(child, judge));
    case 'CommandExpansion':
      return part.script !== undefined && judge(part.script);
    case 'ArithmeticExpansion':
      return part.expression !== undefined && isPlainArithmetic(part.expression);
    case 'ParameterExpansion':
      return isHarmlessParameter(part, judge);
    case 'ProcessSubstitution':
      return part.operator === '<' && part.script !== undefined && judge(part.script);
    case 'LocaleString':
    case 'ExtendedGlob':
      return false;
  }
}

/** Whether expanding every part of this word is harmless. */
function isHarmlessWord(word: Word, judge: JudgeScript): boolean {
  return (word.parts ?? []).every((part) => isHarmlessPart(part, judge));
}

function isHarmlessParameter(part: ParameterExpansionPart, judge: JudgeScript): boolean {
  if (part.index !== undefined || part.prefix === '!') return false;
  return part.operation === undefined || isHarmlessOperation(part.operation, judge);
}

function isHarmlessOperation(operation: ParameterOperation, judge: JudgeScript): boolean {
  switch (operation.type) {
    case 'Default':
      return READING_DEFAULTS.has(operation.operator) && isHarmlessWord(operation.operand, judge);
    case 'Remove':
      return isHarmlessWord(operation.operand, judge);
    case 'Replace':
      return isHarmlessWord(operation.pattern, judge) && isHarmlessWord(operation.replacement, judge);
    case 'Slice':
      return [operation.offset, operation.length].every((word) => word === undefined || /^\s*-?\d+$/.test(word.text));
    case 'CaseModification':
      return operation.operand === undefined || isHarmlessWord(operation.operand, judge);
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return false;
  }
}

function isPlainArithmetic(expression: ArithmeticExpression): boolean {
  switch (expression.type) {
    case 'ArithmeticWord':
      return NUMBER.test(expression.value);
    case 'ArithmeticGroup':
      return isPlainArithmetic(expression.expression);
    case 'ArithmeticUnary':
      return !WRITING_OPERATORS.test(expression.operator) && isPlainArithmetic(expression.operand);
    case 'ArithmeticBinary':
      return !WRITING_OPERATORS.test(expression.operator) && isPlainArithmetic(expression.left) && isPlainArithmetic(expression.right);
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].every(isPlainArithmetic);
    case 'ArithmeticCommandExpansion':
      return false;
  }
}
