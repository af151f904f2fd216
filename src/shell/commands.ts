import type { Command, Script } from 'unbash';
import { literalText } from './arguments.ts';
import { parseShell, walk } from './parse.ts';

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
export function commandsIn(line: string): SimpleCommand[] | null {
  const script = parseShell(line);
  return script === null ? null : commandsOf(script);
}

/** What changes the directory, or runs text that may. */
const DIRECTORY_CHANGERS = new Set(['cd', 'pushd', 'popd', 'eval', 'source', '.', 'builtin', 'command', 'trap', null]);

/** Whether a line may leave its shell in another directory. True unless it is sure not to. */
export function changesDirectory(line: string): boolean {
  return commandsIn(line)?.some(({ name }) => DIRECTORY_CHANGERS.has(name)) ?? true;
}

/** Whether a line calls git by that name. */
export function callsGit(line: string): boolean {
  return commandsIn(line)?.some(({ name }) => name === 'git') ?? false;
}
