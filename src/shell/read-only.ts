// Judges whether a line only reads. Every node must be of a kind known here, every program in the tables with options that
// are listed; whatever is missing from them makes the line "not read-only".
import type { Assignment, Command, CommandNode, CompoundList, Redirection, Script, Statement } from 'unbash';
import { literalText, readArgument } from './arguments.ts';
import { commandsOf } from './commands.ts';
import { parseShell } from './parse.ts';
import { PROGRAMS } from './programs/index.ts';
import { isPlainVariable } from './programs/shell-builtins.ts';
import { isReadingRedirection } from './redirections.ts';

/** Variables that only change how a program's output looks, with values that name no file. */
const HARMLESS_VARIABLE = /^(LANG|LANGUAGE|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|COLUMNS)$/;
const HARMLESS_VALUE = /^[\w.:,@+-]*$/;
const TIME_ZONE = /^[A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*)*$/;

/**
 * Whether running this line changes nothing: no file, no process, no network. True only if all of it is understood. Lines
 * with git need the environment of `git-environment.ts`.
 */
export function isReadOnlyCommand(command: string): boolean {
  const script = parseShell(command);
  if (script === null || script.commands.length === 0 || !isReadOnlyScript(script)) return false;
  // In another directory git may find another repository, whose configuration can name programs.
  const names = new Set(commandsOf(script).map(({ name }) => name));
  return !(names.has('git') && names.has('cd'));
}

function isReadOnlyScript({ commands }: Script | CompoundList): boolean {
  return commands.every(isReadOnlyStatement);
}

function isReadOnlyStatement({ command, background }: Statement): boolean {
  if (background === true) return false;
  const pipelines = command.type === 'AndOr' ? command.commands : [command];
  return pipelines.every((pipeline) => (pipeline.type === 'Pipeline' ? pipeline.commands.every(isReadOnlyNode) : isReadOnlyNode(pipeline)));
}

function isReadOnlyNode(node: CommandNode): boolean {
  switch (node.type) {
    case 'Command':
      return isReadOnlySimpleCommand(node);
    case 'Redirected':
      return isReadOnlyNode(node.command) && node.redirects.every(isReading);
    case 'BraceGroup':
    case 'Subshell':
      return isReadOnlyScript(node.body);
    case 'If':
      return (
        [node.clause, node.then, ...node.elif.flatMap((branch) => [branch.clause, branch.then])].every(isReadOnlyScript) &&
        (node.else === undefined || isReadOnlyScript(node.else))
      );
    case 'While':
      return isReadOnlyScript(node.clause) && isReadOnlyScript(node.body);
    case 'For':
      return isPlainVariable(node.name.text) && (node.wordlist ?? []).every(isReadable) && isReadOnlyScript(node.body);
    case 'Case':
      return isReadable(node.word) && node.items.every((item) => item.pattern.every(isReadable) && isReadOnlyScript(item.body));
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'Coproc':
    case 'Function':
    case 'Select':
    case 'TestCommand':
      return false;
  }
}

function isReadOnlySimpleCommand({ name, prefix, suffix }: Command): boolean {
  const judge = name === undefined ? undefined : PROGRAMS.get(literalText(name) ?? '');
  if (judge === undefined) return false;
  const given = [];
  for (const part of [...prefix, ...suffix]) {
    if (part.type === 'Word') {
      const argument = readArgument(part, isReadOnlyScript);
      if (argument === null) return false;
      given.push(argument);
    } else if (part.type === 'Assignment' ? !isHarmlessAssignment(part) : !isReading(part)) {
      return false;
    }
  }
  return judge(given);
}

function isHarmlessAssignment({ name, value, append, index }: Assignment): boolean {
  const text = value.type === 'Word' ? literalText(value) : null;
  if (text === null || append === true || index !== undefined) return false;
  return name === 'TZ' ? TIME_ZONE.test(text) : HARMLESS_VARIABLE.test(name) && HARMLESS_VALUE.test(text);
}

function isReadable(word: Parameters<typeof readArgument>[0]): boolean {
  return readArgument(word, isReadOnlyScript) !== null;
}

function isReading(redirection: Redirection): boolean {
  return isReadingRedirection(redirection, isReadOnlyScript);
}
