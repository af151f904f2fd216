// Programs that run what follows them. It is judged as if it stood alone; what depends on the shell it runs in, and git,
// are accepted only by their own name (see `ONLY_BY_NAME`).
import type { Argument } from '../arguments.ts';
import { isHarmlessVariable } from '../assignments.ts';
import { has, program, type Judge, type JudgeCommand, type ProgramLimits, type Programs } from './program.ts';

/** A wrapper with so many operands of its own, which must match, in front of the command. */
function wrapper(options: string, ...own: readonly RegExp[]): Judge {
  const accepts: ProgramLimits['accepts'] = ({ operands }, judgeCommand) =>
    own.every((pattern, index) => matches(operands[index], pattern)) && judgeCommand(operands.slice(own.length));
  return program(options, { operandsLast: true, accepts });
}

function matches(argument: Argument | undefined, pattern: RegExp): boolean {
  return argument?.kind === 'literal' && pattern.test(argument.text);
}

/** Variables and a command; without one it prints the environment, which holds nothing secret of the service's. */
const ENV = program('-0 -i -v --ignore-environment --null', {
  operandsLast: true,
  accepts: ({ operands }, judgeCommand) => {
    const start = operands.findIndex((operand) => !matches(operand, /^\w+=/));
    const variables = start === -1 ? operands : operands.slice(0, start);
    return variables.every(isHarmlessSetting) && (start === -1 || judgeCommand(operands.slice(start)));
  },
});

function isHarmlessSetting(argument: Argument): boolean {
  const [, name, value] = argument.kind === 'literal' ? (/^(\w+)=(.*)$/s.exec(argument.text) ?? []) : [];
  return name !== undefined && value !== undefined && isHarmlessVariable(name, value);
}

const APPENDING = ['-L', '-n', '--max-args'];

// Not `-I` in its old forms, `-p`, which asks, and `--process-slot-var`, which sets a variable.
const XARGS = program(
  `-0 -a: -d: -E: -I: -L: -n: -o -P: -r -s: -t -x --arg-file: --delimiter: --exit --max-args: --max-chars: --max-procs: --no-run-if-empty
  --null --show-limits --verbose`,
  {
    takesNext: true,
    operandsLast: true,
    accepts: ({ options, operands }, judgeCommand) => {
      if (operands.length === 0) return true;
      const replaced = options.flatMap(({ name, value }) => (name === '-I' ? [value] : []));
      const placeholders = replaced.flatMap((value) => (value?.kind === 'literal' && value.text !== '' ? [value.text] : []));
      if (placeholders.length !== replaced.length || placeholders.length > 1) return false;
      const [placeholder] = placeholders;
      if (placeholder === undefined) return judgeAppended(operands, judgeCommand);
      // Which of these counts, and whether any text is appended after all, depends on their order and the version.
      const appends = has({ options, operands }, APPENDING);
      return judgeReplaced(operands, placeholder, judgeCommand) && (!appends || judgeAppended(operands, judgeCommand));
    },
  },
);

function judgeAppended(command: readonly Argument[], judgeCommand: JudgeCommand): boolean {
  return judgeCommand([...command, { kind: 'anything' }]);
}

/** What is put in place of the text is not known, so that only what stands in front of it in a word is. */
function judgeReplaced([name, ...given]: readonly Argument[], placeholder: string, judgeCommand: JudgeCommand): boolean {
  if (name?.kind !== 'literal' || name.text.includes(placeholder)) return false;
  const words = given.map((argument): Argument => {
    if (argument.kind !== 'literal') return { kind: 'anything' };
    const at = argument.text.indexOf(placeholder);
    return at === -1 ? argument : { kind: 'value', prefix: argument.text.slice(0, at) };
  });
  return judgeCommand([name, ...words]);
}

export const WRAPPERS: Programs = {
  env: ENV,
  xargs: XARGS,
  exec: (given, judgeCommand) => given.length === 0 || judgeCommand(given),
  builtin: (given, judgeCommand) => judgeCommand(given),
  nice: wrapper('-n: --adjustment:'),
  ionice: wrapper('-c: -n: -t --class: --classdata: --ignore'),
  stdbuf: wrapper('-i: -o: -e: --input: --output: --error:'),
  timeout: wrapper('-k: -s: -v --foreground --kill-after: --preserve-status --signal: --verbose', /^[\d.]+[smhd]?$/),
  taskset: wrapper('-c --cpu-list', /^[\da-fA-Fx,-]+$/),
};
