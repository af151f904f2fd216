// A command that belongs to its call until somebody wants it in the background. From then on it is a task of the session: what
// stops the call, or ends it, does not stop the command any more.
import { endOfCommand, messageOf, whenFired, type CallContext, type CommandResult } from '../../src/contract/index.ts';
import { startCommand, type Begin, type RunningCommand } from '../../src/shell/session-command/running-command.ts';
import { aboutTask } from './background.ts';
import type { BashInput } from './input.ts';

export type CommandOutcome =
  | { readonly kind: 'ended'; readonly result: CommandResult }
  | { readonly kind: 'moved'; readonly taskId: string };

export interface MovableCommand {
  /** What it prints, until it has ended or was moved. One reader. */
  readonly progress: RunningCommand['progress'];
  /** @throws Error when it could not be started at all */
  outcome(): Promise<CommandOutcome>;
  /** Why it could not be moved when somebody wanted that. */
  readonly notes: readonly string[];
  /** Kills it unless it was moved, and resolves when it has ended. */
  leave(): Promise<void>;
}

/** @param wanted fires when somebody wants it in the background */
export function startMovable(
  begin: Begin,
  { input, context, wanted }: { input: BashInput; context: CallContext; wanted: AbortSignal },
): MovableCommand {
  const untimed = new AbortController();
  const command = startCommand(begin, context, untimed.signal);
  const notes: string[] = [];
  let taskId: string | undefined;

  function move(): void {
    if (command.hasEnded() || context.signal.aborted) return;
    try {
      const about = aboutTask(input);
      const task = context.tasks.start({
        ...about,
        outputFile: context.outputFile,
        async run({ signal }) {
          whenFired(signal, command.kill);
          return endOfCommand(await command.result, about.benignExits);
        },
      });
      taskId = task.id;
    } catch (error) {
      notes.push(`It was asked to go on in the background, and could not: ${messageOf(error)}`);
      return;
    }
    command.release();
    untimed.abort();
  }

  whenFired(wanted, move);
  return {
    notes,
    progress: command.progress,
    outcome: async () => (taskId === undefined ? { kind: 'ended', result: await command.result } : { kind: 'moved', taskId }),
    async leave() {
      wanted.removeEventListener('abort', move);
      if (taskId === undefined) await command.leave();
    },
  };
}
