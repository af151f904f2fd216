// Judges whether a line only reads. Every node must be of a kind known here, every program in the tables with options that
// are listed; whatever is missing from them makes the line "not read-only".
import type { ArithmeticFor, Command, CommandNode, CompoundList, Redirection, Script, Statement, Word } from 'unbash';
import { literalText, readArgument, type Argument } from './arguments.ts';
import { isCountingArithmetic } from './arithmetic.ts';
import { isHarmlessPrefix, isPlainAssignment, isPlainVariable } from './assignments.ts';
import { changesDirectory, commandsOf } from './commands.ts';
import { isReadingCondition } from './conditions.ts';
import { integerVariables } from './integers.ts';
import { MAX_CHARS, parseShell } from './parse.ts';
import { isReadingProgram, ONLY_BY_NAME } from './programs/index.ts';
import { isReadingRedirection } from './redirections.ts';
import { remembered } from './remembered.ts';
import type { Scope } from './scope.ts';

/** Folders whose programs are those that a bare name stands for. */
const SYSTEM_FOLDER = /^(\/usr)?\/bin\/(?=[^/]+$)/;

/**
 * Whether running this line changes nothing: no file, no process, no network. True only if all of it is understood. Lines
 * with git need the environment of `git-environment.ts`, and what `git-preflight.ts` asks before.
 */
export function isReadOnlyCommand(command: string): boolean {
  return command.length <= MAX_CHARS && judge(command);
}

const judge = remembered((command) => {
  const script = parseShell(command);
  if (script === null || script.commands.length === 0) return false;
  const scope: Scope = { readsOnly: (inner) => isReadOnlyScript(inner, scope), integers: integerVariables(script) };
  if (!isReadOnlyScript(script, scope)) return false;
  // In another directory git may find another repository, whose configuration can name programs.
  return !(commandsOf(script).some(({ name }) => name === 'git') && changesDirectory(command));
});

function isReadOnlyScript({ commands }: Script | CompoundList, scope: Scope): boolean {
  return commands.every((statement) => isReadOnlyStatement(statement, scope));
}

function isReadOnlyStatement({ command, background }: Statement, scope: Scope): boolean {
  if (background === true) return false;
  const pipelines = command.type === 'AndOr' ? command.commands : [command];
  return pipelines
    .flatMap((pipeline): readonly CommandNode[] => (pipeline.type === 'Pipeline' ? pipeline.commands : [pipeline]))
    .every((node) => isReadOnlyNode(node, scope));
}

function isReadOnlyNode(node: CommandNode, scope: Scope): boolean {
  const readable = (word: Word) => readArgument(word, scope) !== null;
  switch (node.type) {
    case 'Command':
      return node.name === undefined ? isReadOnlyPrefix(node, scope) : isReadOnlySimpleCommand(node.name, node, scope);
    case 'Redirected':
      return isReadOnlyNode(node.command, scope) && node.redirects.every((each) => isReadingRedirection(each, scope));
    case 'BraceGroup':
    case 'Subshell':
      return isReadOnlyScript(node.body, scope);
    case 'If': {
      const branches = [node.clause, node.then, ...node.elif.flatMap((branch) => [branch.clause, branch.then])];
      return [...branches, ...(node.else === undefined ? [] : [node.else])].every((list) => isReadOnlyScript(list, scope));
    }
    case 'While':
      return isReadOnlyScript(node.clause, scope) && isReadOnlyScript(node.body, scope);
    case 'For':
      return isPlainVariable(node.name.text) && (node.wordlist ?? []).every(readable) && isReadOnlyScript(node.body, scope);
    case 'Case':
      return readable(node.word) && node.items.every((item) => item.pattern.every(readable) && isReadOnlyScript(item.body, scope));
    case 'TestCommand':
      return isReadingCondition(node.expression, scope);
    case 'ArithmeticCommand':
      return node.expression !== undefined && isCountingArithmetic(node.expression, scope);
    case 'ArithmeticFor':
      return isCountingLoop(node, scope);
    case 'Coproc':
    case 'Function':
    case 'Select':
      return false;
  }
}

function isCountingLoop({ initialize, test, update, body }: ArithmeticFor, scope: Scope): boolean {
  return (
    [initialize, test, update].every((part) => part === undefined || isCountingArithmetic(part, scope)) && isReadOnlyScript(body, scope)
  );
}

/** Assignments and redirections without a program. */
function isReadOnlyPrefix({ prefix }: Command, scope: Scope): boolean {
  return prefix.every((part) => (part.type === 'Assignment' ? isPlainAssignment(part, scope) : isReadingRedirection(part, scope)));
}

function isReadOnlySimpleCommand(name: Word, { prefix, suffix }: Command, scope: Scope): boolean {
  const program = literalText(name);
  if (program === null) return false;
  const given: Argument[] = [];
  for (const part of [...prefix, ...suffix]) {
    if (part.type === 'Word') {
      const argument = readArgument(part, scope);
      if (argument === null) return false;
      given.push(argument);
    } else if (!isHarmlessPart(part, program, scope)) {
      return false;
    }
  }
  const plainName = program.replace(SYSTEM_FOLDER, '');
  if (plainName !== program && ONLY_BY_NAME.has(plainName)) return false;
  return isReadingProgram(plainName, given);
}

function isHarmlessPart(part: Exclude<Command['suffix'][number], Word>, program: string, scope: Scope): boolean {
  return part.type === 'Assignment' ? isHarmlessPrefix(part, program) : isReadingRedirection(part satisfies Redirection, scope);
}
