// A command as a task of the session: from its start on, or from the moment on at which somebody wants that.
import type { CallContext, CommandResult, TaskEnd, ToolResult } from '../../src/contract/index.ts';
import { statusLine, withNotes } from '../../src/shell/session-command/ended-command.ts';
import { timeoutOf } from '../../src/shell/session-command/input.ts';
import type { Line } from '../../src/shell/session-command/running-command.ts';
import type { BashInput } from './input.ts';
import { isFailure, type TaskBegun } from './result.ts';

/** What people and models are told of the task. */
export function aboutTask({ command, description }: BashInput) {
  return { kind: 'command' as const, command, ...(description !== undefined && { description }) };
}

/** @returns the id of the task. @throws Error fit for a model when no task can begin */
export function startTask(line: Line, input: BashInput, { commands, tasks }: CallContext): string {
  const task = tasks.start({
    ...aboutTask(input),
    run: async ({ outputFile, signal }) =>
      // Without a limit of time from its first moment on.
      taskEnd(input, await commands.run({ ...line, background: true, outputFile, signal, untimed: AbortSignal.abort() })),
  });
  return task.id;
}

/** @throws Error that tells what an exit code cannot: which signal, or the limit of output */
export function taskEnd(input: BashInput, result: CommandResult): TaskEnd {
  const { exitCode, stopped } = result;
  if (stopped === 'aborted') return { status: 'stopped' };
  if (exitCode === null || stopped !== null) {
    throw new Error(statusLine(result, timeoutOf(input)) ?? 'The command was killed.');
  }
  return { status: isFailure(input.command, result) ? 'failed' : 'completed', exitCode };
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
