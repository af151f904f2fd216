import { textOf, type ToolResult, type View, type ViewBody } from '../../src/contract/index.ts';
import type { BashInput } from './input.ts';
import type { BashOutput } from './result.ts';
import type { BashProgress } from './run.ts';

export function viewUse(input: BashInput): View {
  return { title: titleOf(input), body: terminal(`$ ${input.command}`) };
}

export function viewProgress({ text }: BashProgress): View {
  return { title: 'Bash', body: terminal(text) };
}

export function viewResult(input: BashInput, { content, output }: ToolResult<BashOutput>): View {
  return { title: titleOf(input), ...(output === undefined ? {} : { subtitle: endingOf(output) }), body: terminal(textOf(content)) };
}

export function viewGroup(inputs: readonly BashInput[]): View {
  return { title: 'Bash', subtitle: `${inputs.length} commands`, body: { kind: 'list', items: inputs.map(({ command }) => command) } };
}

export function titleOf({ description, command }: BashInput): string {
  return description ?? `Bash ${command.split('\n', 1)[0] ?? ''}`;
}

function endingOf(output: BashOutput): string {
  if ('taskId' in output) return 'in the background';
  const { exitCode, signal, stopped } = output;
  if (stopped !== null) return stopped.replace('_', ' ');
  return exitCode === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`;
}

function terminal(text: string): ViewBody {
  return { kind: 'terminal', text };
}
