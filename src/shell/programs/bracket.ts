// `test` and `[`: how they read their words depends on how many there are, and `-v` and `-R` evaluate a subscript.
import type { Argument } from '../arguments.ts';
import { isLiteral, isOneWord } from '../options.ts';
import type { Judge, Programs } from './program.ts';

const UNARY = /^-[a-hknoprstuwxzGLNOS]$/;
const OF_NUMBERS = /^-(eq|ne|lt|le|gt|ge)$/;
const BINARY = /^(=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;
const JOINT = /^(!|-a|-o|-?\d*)$/;

/** A word that is not known could be `-v`: it is accepted only where it can be nothing but an operand. */
const TEST: Judge = (given, judgeCommand) => {
  const literals = given.flatMap((argument) => (argument.kind === 'literal' ? [argument.text] : []));
  if (literals.length === given.length) return isLiteralTest(literals);
  if (given.length === 1) return isOperand(given[0]);
  if (given.length === 3 && matches(given[1], BINARY)) return isOperand(given[0]) && isOperand(given[2]);
  if (given.length <= 4 && isLiteral(given[0], '!')) return TEST(given.slice(1), judgeCommand);
  return given.length === 2 && matches(given[0], UNARY) && isOperand(given[1]);
};

const BRACKET: Judge = (given, judgeCommand) => isLiteral(given.at(-1), ']') && TEST(given.slice(0, -1), judgeCommand);

function isLiteralTest(words: readonly string[]): boolean {
  if (words.some((word) => OF_NUMBERS.test(word)) && words.some((word) => word.includes('['))) return false;
  return words.every((word) => !word.startsWith('-') || UNARY.test(word) || BINARY.test(word) || JOINT.test(word));
}

/** Without an operand that is an integer not set yet, the words make no test or one of a fixed text. */
function isOperand(argument: Argument | undefined): boolean {
  return isOneWord(argument) || argument?.kind === 'integer';
}

function matches(argument: Argument | undefined, pattern: RegExp): boolean {
  return argument?.kind === 'literal' && pattern.test(argument.text);
}

export const TEST_PROGRAMS: Programs = {
  test: TEST,
  '[': BRACKET,
};
