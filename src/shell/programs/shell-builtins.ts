// What bash does itself, and programs that touch no files at all.
import type { Argument } from '../arguments.ts';
import { program, type Judge } from './program.ts';

const anything: Judge = () => true;

/** Names that neither the shell nor a program gives a meaning: those are in capitals. */
const PLAIN_NAME = /^[a-z][a-z0-9_]*$/;

/** Whether a script may set this variable and still only read: `PATH`, for one, decides what runs next. */
export function isPlainVariable(name: string): boolean {
  return PLAIN_NAME.test(name);
}

/** `-v` and the conversion `%n` set variables, so that the format must be known. */
const PRINTF: Judge = (given) => {
  const [first, ...rest] = given;
  if (first?.kind !== 'literal') return false;
  if (first.text === '--') return PRINTF(rest);
  return !first.text.startsWith('-') && !/%[-+# 0'*.\dhlLjztq]*n/.test(first.text);
};

const READ: Judge = (given) => {
  const words = given.map((argument) => (argument.kind === 'literal' ? argument.text : ''));
  const names = words[0] === '-r' ? words.slice(1) : words;
  return names.every(isPlainVariable);
};

const UNARY_TEST = /^-[a-hknoprstuwxzGLNOS]$/;
const NUMBER_TEST = /^-(eq|ne|lt|le|gt|ge)$/;
const BINARY_TEST = /^(=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;
const TEST_JOINT = /^(!|-a|-o|-?\d*)$/;

/** `-v` and `-R` evaluate subscripts, and a word that is not known could be one of them: it is accepted as an operand only. */
const TEST: Judge = (given) => {
  const literals = given.flatMap((argument) => (argument.kind === 'literal' ? [argument.text] : []));
  if (literals.length === given.length) return isLiteralTest(literals);
  if (given.length === 2) return matches(given[0], UNARY_TEST) && isOneWord(given[1]);
  return given.length === 3 && isOneWord(given[0]) && matches(given[1], BINARY_TEST) && isOneWord(given[2]);
};

const BRACKET: Judge = (given) => matches(given.at(-1), /^\]$/) && TEST(given.slice(0, -1));

function isLiteralTest(words: readonly string[]): boolean {
  if (words.some((word) => NUMBER_TEST.test(word)) && words.some((word) => word.includes('['))) return false;
  return words.every((word) => !word.startsWith('-') || UNARY_TEST.test(word) || BINARY_TEST.test(word) || TEST_JOINT.test(word));
}

function matches(argument: Argument | undefined, pattern: RegExp): boolean {
  return argument?.kind === 'literal' && pattern.test(argument.text);
}

function isOneWord(argument: Argument | undefined): boolean {
  return argument?.kind === 'literal' || argument?.kind === 'value';
}

export const SHELL_BUILTINS: Readonly<Record<string, Judge>> = {
  ':': anything,
  true: anything,
  false: anything,
  echo: anything,
  printf: PRINTF,
  pwd: program('-L -P --logical --physical', { anyWord: true }),
  cd: program('-L -P -e -@', { anyWord: true }),
  exit: program('', { anyWord: true }),
  read: READ,
  test: TEST,
  '[': BRACKET,
  sleep: program('', { anyWord: true }),
  // A first operand without `+` would set the clock.
  date: program(
    '-d: -f: -I? -r: -R -u --date: --debug --file: --iso-8601? --reference: --resolution --rfc-email --rfc-3339: --utc --universal',
    {
      operands: (operands) =>
        operands.every((operand) => {
          if (operand.kind === 'literal') return operand.text.startsWith('+');
          return operand.kind === 'value' && operand.prefix.startsWith('+');
        }),
    },
  ),
};
