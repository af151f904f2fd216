// What bash does itself: what prints, and what changes only the short life of this shell.
import type { Argument } from '../arguments.ts';
import { isPlainVariable } from '../assignments.ts';
import { isLiteral, literalTexts } from '../options.ts';
import { anyOf, anything, exactly, program, type Judge, type Programs } from './program.ts';

const NAME = /^\w+$/;
const NUMBER = /^\d+$/;

/** Options of these kinds, then names that are not evaluated. */
function query(options: RegExp, operand: RegExp = NAME): Judge {
  return (given) => {
    const [first, ...rest] = literalTexts(given) ?? ['['];
    return first === undefined || (options.test(first) && rest.every((text) => operand.test(text)));
  };
}

const FORMAT = /%(?:%|[-+ 0#']*(?:\*|[1-9]\d*)?(?:\.(?:\*|\d*))?[hlLjzt]*[diouxXeEfFgGaAcsbqQ]|-?\d*\([^()%]*(?:%[^()]*)?\)T)/g;

/** `-v` and the conversion `%n` set variables, so that the format must be known. */
const PRINTF: Judge = (given, judgeCommand) => {
  const [first, ...rest] = given;
  if (first?.kind !== 'literal') return false;
  if (first.text === '--') return rest.length > 0 && PRINTF(rest, judgeCommand);
  return !first.text.startsWith('-') && !first.text.replaceAll(FORMAT, '').includes('%');
};

// Not attached to `-a`, so that every variable which is set is a word of its own.
const READ = program('-a= -d: -n: -N: -p: -r -s -t: -u:', {
  accepts: ({ options, operands }) => {
    const arrays = options.flatMap(({ name, value }) => (name === '-a' && value !== null ? [value] : []));
    return literalTexts([...arrays, ...operands])?.every(isPlainVariable) ?? false;
  },
});

// Not `-C`, which runs something for every line, and `-O`, whose number is evaluated.
const MAPFILE = program('-d: -n: -s: -t -u:', {
  maxOperands: 1,
  accepts: ({ options, operands }) =>
    options.every(({ name, value }) => name === '-t' || name === '-d' || (value?.kind === 'literal' && NUMBER.test(value.text))) &&
    (literalTexts(operands)?.every(isPlainVariable) ?? false),
});

/** Not `-a`, which exports, `-x`, which prints what a prompt expands to, and not what sets the arguments. */
const SET: Judge = (given) => {
  const words = literalTexts(given) ?? ['-x'];
  return words.every((word, index) =>
    /^[-+][euf]*o$/.test(words[index - 1] ?? '') ? /^(errexit|nounset|pipefail|noglob)$/.test(word) : /^([-+][euf]*o?|\+x)$/.test(word),
  );
};

/** Not `extglob`, which changes how the line itself is read. */
const SHOPT: Judge = (given) => {
  const [first, ...rest] = literalTexts(given) ?? ['-x'];
  return (
    first === undefined ||
    (/^-[pqsu]$/.test(first) && rest.every((name) => /^(globstar|nullglob|dotglob|nocaseglob|nocasematch|failglob)$/.test(name)))
  );
};

/** With `-v` and `-V` names are looked up; without, the rest is run. */
const COMMAND: Judge = (given, judgeCommand) => {
  const [first, ...rest] = given;
  if (first?.kind === 'literal' && /^-p?[vV]$/.test(first.text))
    return rest.every((name) => name.kind !== 'literal' || !name.text.startsWith('-'));
  return judgeCommand(isLiteral(first, '--') ? rest : given);
};

const SETS_ONE = (argument: Argument) => argument.kind === 'literal' && isPlainVariable(argument.text);

export const BUILTINS: Programs = {
  ':': anything,
  true: anything,
  false: anything,
  echo: anything,
  printf: PRINTF,
  cd: program('-L -P -e -@', { anyWord: true }),
  pushd: program('-n'),
  popd: program('-n'),
  dirs: exactly('', '-v', '-p', '-l'),
  exit: program('', { anyWord: true }),
  return: exactly('', '0', '1'),
  break: exactly('', '1', '2', '3'),
  continue: exactly('', '1', '2', '3'),
  wait: exactly(''),
  read: READ,
  mapfile: MAPFILE,
  readarray: MAPFILE,
  unset: (given) => given.every(SETS_ONE),
  sleep: program('', { anyWord: true }),
  type: program('-a -f -p -P -t', { anyWord: true }),
  command: COMMAND,
  declare: query(/^(-[pFf]|-p[aAfFgilnrux])$/),
  typeset: query(/^(-[pFf]|-p[aAfFgilnrux])$/),
  export: query(/^-p$/, /^$/),
  readonly: query(/^-p$/, /^$/),
  alias: exactly('', '-p'),
  hash: exactly('', '-l', '-r'),
  trap: query(/^(-[pl]|-)$/, /^[A-Z0-9]+$/),
  umask: exactly('', '-S', '-p'),
  ulimit: query(/^-[SH]?[abcdefiklmnpqrstuvxPRT]$/, /^-[SHabcdefiklmnpqrstuvxPRT]+$/),
  times: exactly(''),
  jobs: exactly('', '-l', '-p', '-r', '-s'),
  kill: exactly('-l'),
  history: query(NUMBER, /^$/),
  set: SET,
  shopt: SHOPT,
  enable: exactly('', '-a', '-p', '-s'),
  compgen: anyOf(query(/^-[abcdefgjksuv]$/, /^[\w./][\w./-]*$/), query(/^-[GA]$/, /^[\w./*?][\w./*?-]*$/)),
  help: query(/^[\w[:.-]+$/),
  bind: exactly('-l', '-p', '-P', '-v', '-V', '-s', '-S'),
};
