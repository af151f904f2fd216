import type { CommandResult } from './command-runner.ts';
import type { TaskEnd } from './tasks.ts';

/** Why the runner ended it, as the last line of its output says. */
const STOPPED = {
  timeout: 'Killed: its time was over.',
  output_limit: 'Killed: the command printed more than it may. Let it print less, or filter its output.',
  orphaned: 'Killed: the service was stopped for longer than a command may go on alone.',
} as const;

/**
 * How a task ends whose work was a command.
 * @param benignExits exit codes beside 0 that tell no failure
 * @throws Error that tells what an exit code cannot: which signal, or why it was killed
 */
export function endOfCommand({ exitCode, signal, stopped }: CommandResult, benignExits: readonly number[]): TaskEnd {
  if (stopped === 'aborted') return { status: 'stopped' };
  if (stopped !== null) throw new Error(STOPPED[stopped]);
  if (exitCode === null) throw new Error(`Killed by signal ${signal ?? 'unknown'}`);
  return { status: exitCode === 0 || benignExits.includes(exitCode) ? 'completed' : 'failed', exitCode };
}
