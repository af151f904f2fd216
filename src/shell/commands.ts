import type { Command, Script } from 'unbash';
import { literalText } from './arguments.ts';
import { MAX_CHARS, parseShell, walk } from './parse.ts';
import { remembered } from './remembered.ts';

/** One simple command of a line. What is not known before the shell expands it is `null`. */
export interface SimpleCommand {
  readonly name: string | null;
  readonly words: readonly (string | null)[];
}

/** Every simple command of a script, also those in groups, loops, functions and substitutions. */
export function commandsOf(script: Script): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  walk(script, (node) => {
    if (node.type === 'Command' && node.name !== undefined) commands.push(simpleCommand(node));
  });
  return commands;
}

function simpleCommand({ name, args }: Command): SimpleCommand {
  return {
    name: name === undefined ? null : literalText(name),
    words: args.map((argument) => (argument.type === 'Word' ? literalText(argument) : argument.text)),
  };
}

/** As {@link commandsOf}, of a line; `null` when it is not understood. */
export function commandsIn(line: string): readonly SimpleCommand[] | null {
  return line.length > MAX_CHARS ? null : readCommands(line);
}

const readCommands = remembered((line) => {
  const script = parseShell(line);
  return script === null ? null : commandsOf(script);
});

/** What changes the directory, or runs text that may. */
const DIRECTORY_CHANGERS: ReadonlySet<string | null> = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'trap', null]);
/** What runs one of them when it is told to. */
const PASSING_ON = new Set<string | null>(['builtin', 'command']);

/** Whether a line may leave its shell in another directory. True unless it is sure not to. */
export function changesDirectory(line: string): boolean {
  return commandsIn(line)?.some(mayChangeDirectory) ?? true;
}

function mayChangeDirectory({ name, words }: SimpleCommand): boolean {
  return DIRECTORY_CHANGERS.has(name) || (PASSING_ON.has(name) && words.some((word) => DIRECTORY_CHANGERS.has(word)));
}

/** Whether a line calls git by that name. */
export function callsGit(line: string): boolean {
  return commandsIn(line)?.some(({ name }) => name === 'git') ?? false;
}
