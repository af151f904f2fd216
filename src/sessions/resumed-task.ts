// A command in the background that outlived the process of the service which had begun it.
import type { CommandResult, CommandRunner, TaskEnd, TaskPlace } from '../contract/index.ts';

/** Why the runner ended it, as the last line of its output says. */
const STOPPED = {
  timeout: 'The command was killed: its time was over.',
  output_limit: 'The command was killed: it printed more than it may.',
  orphaned: 'The command was killed: the service was stopped for longer than a command may go on alone.',
} as const;

export type Resuming = Pick<CommandRunner, 'reattach' | 'forget'>;

/** Goes on with the task until its command has ended. @throws Error that says why it failed, or that nobody can tell how it ended */
export async function resumeTask(commands: Resuming, { outputFile, signal }: Pick<TaskPlace, 'outputFile' | 'signal'>): Promise<TaskEnd> {
  // Nothing in the background has a limit of time.
  return endOf(await commands.reattach(outputFile, { signal, untimed: AbortSignal.abort() }));
}

function endOf({ exitCode, signal, stopped }: CommandResult): TaskEnd {
  if (stopped === 'aborted') return { status: 'stopped' };
  if (stopped !== null) throw new Error(STOPPED[stopped]);
  if (exitCode === null) throw new Error(`The command was killed by signal ${signal ?? 'unknown'}.`);
  return { status: exitCode === 0 ? 'completed' : 'failed', exitCode };
}
