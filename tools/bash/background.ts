// A command as a task of the session: from its start on, or from the moment on at which somebody wants that.
import { endOfCommand, type CallContext, type ToolResult } from '../../src/contract/index.ts';
import { isBenignExit } from '../../src/shell/exit-meaning.ts';
import { withNotes } from '../../src/shell/session-command/ended-command.ts';
import type { Line } from '../../src/shell/session-command/running-command.ts';
import type { BashInput } from './input.ts';
import type { TaskBegun } from './result.ts';

/** What people and models are told of the task, and what its exit codes mean. */
export function aboutTask({ command, description }: BashInput) {
  const benignExits = isBenignExit(command, 1) ? [1] : [];
  return { kind: 'command' as const, command, benignExits, ...(description !== undefined && { description }) };
}

/** @returns the id of the task. @throws Error fit for a model when no task can begin */
export function startTask(line: Line, input: BashInput, { commands, tasks }: CallContext): string {
  const about = aboutTask(input);
  const task = tasks.start({
    ...about,
    run: async ({ outputFile, signal }) =>
      // Without a limit of time from its first moment on.
      endOfCommand(await commands.run({ ...line, background: true, outputFile, signal, untimed: AbortSignal.abort() }), about.benignExits),
  });
  return task.id;
}

/** @param began how the command came there: what follows "The command". */
export function answerOfTask(
  taskId: string,
  { began, notes }: { began: string; notes: readonly string[] },
  { tasks }: CallContext,
): ToolResult<TaskBegun> {
  const outputFile = tasks.outputFile(taskId);
  const lines = [
    `The command ${began} in the background as ${taskId}, without a time limit.`,
    `What it prints is written to ${outputFile}, which Read can open.`,
    'TaskOutput shows what is new and waits for the end; TaskStop ends it. What the session runs in the background ends with the session.',
  ];
  return { content: withNotes(lines, notes), isError: false, output: { taskId, outputFile } };
}
