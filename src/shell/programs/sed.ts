// A sed script is read by the rules of GNU sed, command by command. `e` runs programs and `w` writes files, also as flags
// of `s`; whatever is not known to only print, edit and jump makes the script not read-only.
import type { Argument } from '../arguments.ts';
import type { Matched } from '../options.ts';
import { program, type Programs } from './program.ts';

const BLANKS = /[ \t]*/y;
const SEPARATORS = /[ \t\n;]*/y;
const LINE_NUMBER = /\d+(~\d+)?|\$/y;
const SECOND_LINE = /[+~]\d+/y;
const REGEX_FLAGS = /[IM]*/y;
const PLAIN_COMMAND = /[dDgGhHnNpPxzF=]|[qQlL][ \t]*\d*/y;
const JUMP = /[btT:][ \t]*[\w.-]*/y;
const SUBSTITUTE_FLAGS = /[gpiImM\d]*/y;
/** Behind a command only a blank, the end of it, of its block or of the line may stand. */
const END = /[ \t]*(?=[;\n}#]|$)/y;
/** Text to the end of a line, which a backslash goes on. */
const REST_OF_LINE = /(?:\\[^]|[^\\\n])*(?=\n|$)/y;
/** Behind a label not even a comment: some versions take it for a part of the label. */
const LABEL_END = /[ \t]*(?=[;\n}]|$)/y;
/** One line of text, at once or on the next line. Not where versions differ: with a blank or backslash behind the backslash. */
const TEXT = /[aic][ \t]*(?:\\\n|\\(?=[^ \t\n\\])|(?=[^\\\s]))/y;
const FILE_READ = /[rR][ \t]*[^\n]*/y;
const COMMENT = /#[^\n]*/y;

/** A script that is read from front to back. */
interface Reader {
  readonly script: string;
  at: number;
}

/** Whether a sed script neither writes files nor runs programs. */
function isReadingSedScript(script: string): boolean {
  const reader: Reader = { script, at: 0 };
  let open = 0;
  take(reader, SEPARATORS);
  while (reader.at < script.length) {
    if (!takeAddresses(reader)) return false;
    const command = script.charAt(reader.at);
    if (command === '{') {
      reader.at += 1;
      open += 1;
    } else if (command === '}') {
      reader.at += 1;
      open -= 1;
      if (!take(reader, END)) return false;
    } else if (!takeCommand(reader, command)) {
      return false;
    }
    take(reader, SEPARATORS);
  }
  return open === 0;
}

function take(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  if (!pattern.test(reader.script)) return false;
  reader.at = pattern.lastIndex;
  return true;
}

function takeAddresses(reader: Reader): boolean {
  const start = reader.at;
  if (!takeAddress(reader)) return false;
  if (reader.at > start) {
    take(reader, BLANKS);
    if (reader.script.charAt(reader.at) === ',') {
      reader.at += 1;
      take(reader, BLANKS);
      const second = reader.at;
      if (!take(reader, SECOND_LINE) && !takeAddress(reader)) return false;
      if (reader.at === second) return false;
    }
  }
  take(reader, BLANKS);
  while (reader.script.charAt(reader.at) === '!') {
    reader.at += 1;
    take(reader, BLANKS);
  }
  return true;
}

/** An address, or nothing; false when it has no end. */
function takeAddress(reader: Reader): boolean {
  const first = reader.script.charAt(reader.at);
  if (first === '/') reader.at += 1;
  else if (first === '\\') reader.at += 2;
  else return take(reader, LINE_NUMBER) || true;
  return takePart(reader, reader.script.charAt(reader.at - 1)) && take(reader, REGEX_FLAGS);
}

/** To the next delimiter that no backslash stands before. A bracket expression does not hide one. */
function takePart(reader: Reader, delimiter: string): boolean {
  if (!/^[\x21-\x7E]$/.test(delimiter) || delimiter === '\\') return false;
  for (; reader.at < reader.script.length; reader.at += 1) {
    const character = reader.script.charAt(reader.at);
    if (character === delimiter) {
      reader.at += 1;
      return true;
    }
    if (character === '\n') return false;
    if (character === '\\') reader.at += 1;
  }
  return false;
}

function takeCommand(reader: Reader, command: string): boolean {
  switch (command) {
    case 's':
    case 'y': {
      const delimiter = reader.script.charAt(reader.at + 1);
      reader.at += 2;
      if (!takePart(reader, delimiter) || !takePart(reader, delimiter)) return false;
      return (command === 'y' || take(reader, SUBSTITUTE_FLAGS)) && take(reader, END);
    }
    case 'a':
    case 'i':
    case 'c':
      return take(reader, TEXT) && take(reader, REST_OF_LINE);
    case 'r':
    case 'R':
      return take(reader, FILE_READ);
    case '#':
      return take(reader, COMMENT);
    default:
      return take(reader, PLAIN_COMMAND) ? take(reader, END) : take(reader, JUMP) && take(reader, LABEL_END);
  }
}

const SCRIPT_OPTIONS: readonly string[] = ['-e', '--expression'];

function acceptsScript({ options, operands }: Matched): boolean {
  const given = options.flatMap(({ name, value }) => (SCRIPT_OPTIONS.includes(name) ? [value] : []));
  const scripts: readonly (Argument | null | undefined)[] = given.length > 0 ? given : operands.slice(0, 1);
  if (scripts.length === 0) return options.some(({ name }) => name === '--help' || name === '--version');
  const texts = scripts.flatMap((script) => (script?.kind === 'literal' ? [script.text] : []));
  return texts.length === scripts.length && isReadingSedScript(texts.join('\n'));
}

// Not `-i`, which writes, and not `-f`, whose script is not seen.
const SED = program(
  `-b -e: -E -n -r -s -u -z --binary --debug --expression: --null-data --posix --quiet --regexp-extended --sandbox
  --separate --silent --unbuffered --zero-terminated`,
  { accepts: acceptsScript },
);

export const SED_PROGRAMS: Programs = { sed: SED, gsed: SED };
