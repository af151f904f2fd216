// Some programs answer a question with exit code 1: no match, files differ, condition false. That is no failure.
import type { CommandNode, CompoundList, PipelineNode, Script, Statement } from 'unbash';
import { literalText } from './arguments.ts';
import { parseShell } from './parse.ts';

const ANSWERING = new Set(['grep', 'egrep', 'fgrep', 'rg', 'find', 'diff', 'cmp', 'test', '[', 'which']);
/** In `cd src && grep x f` it is grep that answers: these hardly ever fail, and say so when they do. */
const UNFAILING = new Set(['cd', 'echo', 'printf', 'true', ':', 'pwd', 'sleep']);

/**
 * Whether an exit code other than 0 is an answer rather than a failure. The last command of a pipeline decides, and the last
 * command of a list; of `a && b` both may have, so both must be programs that answer.
 */
export function isBenignExit(command: string, exitCode: number): boolean {
  if (exitCode !== 1) return false;
  const script = parseShell(command);
  if (script === null) return false;
  const deciders = decidersOfList(script).filter((name) => name === null || !UNFAILING.has(name));
  return deciders.length > 0 && deciders.every((name) => name !== null && ANSWERING.has(name));
}

/** Names of the commands whose exit code may be that of the list; `null` for what is not known. */
function decidersOfList({ commands }: Script | CompoundList): (string | null)[] {
  const last = commands.at(-1);
  return last === undefined ? [null] : decidersOfStatement(last);
}

function decidersOfStatement({ command, background }: Statement): (string | null)[] {
  if (background === true) return [null];
  if (command.type !== 'AndOr') return decidersOfPipeline(command);
  let deciders: (string | null)[] = [];
  for (const [index, node] of command.commands.entries()) {
    // After `||` a code other than 0 can only come from the right side.
    if (command.operators[index - 1] === '||') deciders = [];
    deciders.push(...decidersOfPipeline(node));
  }
  return deciders;
}

function decidersOfPipeline(node: PipelineNode): (string | null)[] {
  if (node.type !== 'Pipeline') return decidersOfNode(node);
  const last = node.commands.at(-1);
  return last === undefined ? [null] : decidersOfNode(last);
}

function decidersOfNode(node: CommandNode): (string | null)[] {
  switch (node.type) {
    case 'Command':
      return [node.name === undefined ? null : literalText(node.name)];
    case 'BraceGroup':
    case 'Subshell':
      return decidersOfList(node.body);
    case 'Redirected':
      return decidersOfNode(node.command);
    case 'TestCommand':
      return ['test'];
    default:
      return [null];
  }
}
