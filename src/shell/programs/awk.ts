// An awk program is cut into tokens. What could run a program, write a file or load code (`|`, a redirecting `>`, `system`,
// `getline`, `@`) makes it not read-only, and so does every place where awks differ in what is a regular expression.
import type { Argument } from '../arguments.ts';
import { program, type Programs } from './program.ts';

type Kind = 'name' | 'value' | 'open' | 'close' | 'operator' | 'newline';

interface Token {
  readonly kind: Kind;
  readonly text: string;
}

const SPACE = /(?:[ \t\r]|\\\n|#[^\n]*)+/y;
const STRING = /"(?:\\[^]|[^"\\\n])*"/y;
const NUMBER = /(?:0[xX][\da-fA-F]+|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const NAME = /[A-Za-z_]\w*/y;
const REGEX = /\/(?:\\[^\n]|[^/\\\n])+\//y;
const OPERATOR = /\|\||&&|\+\+|--|\*\*=?|[-+*/%^!=<>]=|>>|!~|[-+*/%^!=<>~?:,;$|&@]/y;
const BRACKETS = /\[\^?(?:\]|\[[:.=][^\]]*[:.=]\]|[^\][])(?:\[[:.=][^\]]*[:.=]\]|[^\][])*\]/g;

/** Behind these a regular expression may stand, though they look like names. */
const KEYWORDS = new Set(['print', 'printf', 'return', 'else', 'do', 'exit']);
/** A `)` that ends one of these may be followed by a statement. */
const CLAUSES = new Set(['if', 'while', 'for', 'switch']);
/** Names that are no variables, or not in every awk, so that what a `/` behind them means is not certain. */
const NO_VARIABLES = new Set(
  `length next nextfile break continue in delete case default switch if while for func function BEGIN END BEGINFILE ENDFILE`.split(' '),
);
/** What runs, loads, writes or opens other files, or gives a way to it. */
const REFUSED = new Set(['system', 'getline', 'ARGV', 'ARGC', 'SYMTAB', 'FUNCTAB', 'extension']);

interface Reading {
  readonly program: string;
  at: number;
  previous: Token;
  /** For each open bracket, whether it belongs to `if` or the like. */
  readonly open: boolean[];
  /** True when the last token closed such a bracket. */
  afterClause: boolean;
  /** How many brackets were open where the current `print` began; `null` outside one. */
  printing: number | null;
}

/** Whether an awk program only reads its input and prints. */
function isReadingAwkProgram(text: string): boolean {
  const reading: Reading = {
    program: text,
    at: 0,
    previous: { kind: 'newline', text: '\n' },
    open: [],
    afterClause: false,
    printing: null,
  };
  for (;;) {
    match(reading, SPACE);
    if (reading.at >= text.length) return reading.open.length === 0;
    const token = readToken(reading);
    if (token === null || !follow(token, reading)) return false;
  }
}

function match(reading: Reading, pattern: RegExp): string | null {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.program)?.[0] ?? null;
  reading.at += found?.length ?? 0;
  return found;
}

function readToken(reading: Reading): Token | null {
  const character = reading.program.charAt(reading.at);
  if (character === '/' && !isDivision(reading)) return readRegex(reading);
  if (character === '\n' || '(){}[]'.includes(character)) {
    reading.at += 1;
    if (character === '\n') return { kind: 'newline', text: character };
    return { kind: '([{'.includes(character) ? 'open' : 'close', text: character };
  }
  const name = match(reading, NAME);
  if (name !== null) return { kind: 'name', text: name };
  const value = match(reading, STRING) ?? match(reading, NUMBER);
  if (value !== null) return { kind: 'value', text: value };
  const operator = match(reading, OPERATOR);
  return operator === null ? null : { kind: 'operator', text: operator };
}

function isDivision({ previous }: Reading): boolean {
  if (previous.kind === 'name') return !KEYWORDS.has(previous.text);
  return previous.kind === 'value' || previous.text === ')' || previous.text === ']' || /^(\+\+|--)$/.test(previous.text);
}

function readRegex(reading: Reading): Token | null {
  const regex = match(reading, REGEX);
  if (regex === null) return null;
  // In some awks a slash within brackets does not end the expression: it must have ended outside of any.
  const bare = regex.replaceAll(/\\./g, '').replaceAll(BRACKETS, '');
  return bare.includes('[') ? null : { kind: 'value', text: regex };
}

/** Takes a token in; false when the program may do more than read. */
function follow(token: Token, reading: Reading): boolean {
  const { previous, open } = reading;
  if (token.kind === 'name' && REFUSED.has(token.text)) return false;
  if (token.text.startsWith('/') && (reading.afterClause || isUncertainBefore(previous))) return false;
  if (/^(\||&|@|>>)$/.test(token.text)) return false;
  if (token.text === '>' && reading.printing !== null && open.length <= reading.printing) return false;
  reading.afterClause = token.kind === 'close' && open.at(-1) === true;
  if (token.kind === 'open') open.push(token.text === '(' && previous.kind === 'name' && CLAUSES.has(previous.text));
  if (token.kind === 'close' && open.pop() === undefined) return false;
  if (endsPrint(token, reading)) reading.printing = null;
  if (token.kind === 'name' && /^printf?$/.test(token.text)) reading.printing = open.length;
  reading.previous = token;
  return true;
}

function isUncertainBefore({ kind, text }: Token): boolean {
  return kind === 'name' ? NO_VARIABLES.has(text) : /^(\+\+|--|\$)$/.test(text);
}

/** A line that ends with an operator or a comma goes on. */
function endsPrint({ kind, text }: Token, { previous, printing, open }: Reading): boolean {
  if (printing === null || open.length > printing) return false;
  if (text === ';' || text === '}') return true;
  return kind === 'newline' && previous.kind !== 'operator' && previous.kind !== 'newline';
}

const NETWORK_FILE = /^\/inet/;

/** Files that awk reads. gawk connects to the network for some names, and does so for no name that starts otherwise. */
function isPlainFile(operand: Argument): boolean {
  if (operand.kind === 'literal') return !NETWORK_FILE.test(operand.text);
  return operand.kind === 'pattern' ? !operand.prefix.startsWith('/') : operand.kind === 'value' && /^[^/]|^\/[^i]/.test(operand.prefix);
}

// Not `-f`, `-i`, `-l` and `-E`, whose programs are not seen, and not `-o`, `-d` and `-p`, which write files.
const AWK = program('-F: -v: --field-separator: --assign:', {
  operandsLast: true,
  accepts: ({ options, operands: [script, ...files] }) => {
    if (script === undefined) return options.some(({ name }) => name === '--help' || name === '--version');
    return script.kind === 'literal' && isReadingAwkProgram(script.text) && files.every(isPlainFile);
  },
});

export const AWK_PROGRAMS: Programs = { awk: AWK, gawk: AWK, mawk: AWK, nawk: AWK, 'original-awk': AWK };
