// A command in the background that outlived the process of the service which had begun it.
import { endOfCommand, type CommandRunner, type TaskEnd, type TaskPlace } from '../../contract/index.ts';

export type Resuming = Pick<CommandRunner, 'reattach' | 'forget'>;

interface LeftTask extends Pick<TaskPlace, 'outputFile' | 'signal'> {
  readonly commands: Resuming;
  /** As in {@link endOfCommand}. */
  readonly benignExits: readonly number[];
}

/** Goes on with the task until its command has ended. @throws Error that says why it failed, or that nobody can tell how it ended */
export async function resumeTask({ commands, benignExits, outputFile, signal }: LeftTask): Promise<TaskEnd> {
  // Nothing in the background has a limit of time.
  return endOfCommand(await commands.reattach(outputFile, { signal, untimed: AbortSignal.abort() }), benignExits);
}
