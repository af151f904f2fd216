import { textOf, type ToolResult, type View, type ViewBody } from '../../contract/index.ts';
import type { CommandEnd } from './ended-command.ts';
import type { CommandProgress } from './running-command.ts';

interface CommandInput {
  readonly command: string;
  readonly description?: string | undefined;
}

export interface CommandTool<Output> {
  readonly name: string;
  /** What stands before a command in a terminal. */
  readonly prompt: string;
  readonly endingOf: (output: Output) => string;
}

/** How a tool that runs commands is drawn. */
export function commandViews<Output>({ name, prompt, endingOf }: CommandTool<Output>) {
  const titleOf = ({ description, command }: CommandInput): string => description ?? `${name} ${command.trim().split('\n', 1)[0] ?? ''}`;
  return {
    userFacingName: (input: CommandInput | undefined): string => (input ? titleOf(input) : name),
    renderUse: (input: CommandInput): View => ({ title: titleOf(input), body: terminal(`${prompt} ${input.command}`) }),
    renderProgress: ({ text }: CommandProgress): View => ({ title: name, body: terminal(text) }),
    renderResult: (input: CommandInput, { content, output }: ToolResult<Output>): View => ({
      title: titleOf(input),
      ...(output !== undefined && { subtitle: endingOf(output) }),
      body: terminal(textOf(content)),
    }),
    renderGroup: (inputs: readonly CommandInput[]): View => ({
      title: name,
      subtitle: `${inputs.length} commands`,
      body: { kind: 'list', items: inputs.map(({ command }) => command) },
    }),
  };
}

export function endingOfCommand({ exitCode, signal, stopped }: CommandEnd): string {
  if (stopped !== null) return stopped.replace('_', ' ');
  return exitCode === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`;
}

function terminal(text: string): ViewBody {
  return { kind: 'terminal', text };
}
