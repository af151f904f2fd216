// A command that belongs to its call until somebody wants it in the background. From then on it is a task of the session: what
// stops the call, or ends it, does not stop the command any more.
import { messageOf, type CallContext, type CommandResult } from '../../src/contract/index.ts';
import { aboutTask, taskEnd, type Line } from './background.ts';
import type { BashInput } from './input.ts';
import { createLiveOutput, type OutputPiece } from './live-output.ts';

export type CommandOutcome =
  | { readonly kind: 'ended'; readonly result: CommandResult }
  | { readonly kind: 'moved'; readonly taskId: string };

export interface MovableCommand {
  /** What it prints, until it has ended or was moved. One reader. */
  pieces(): AsyncGenerator<OutputPiece, void>;
  /** @throws Error when it could not be started at all */
  outcome(): Promise<CommandOutcome>;
  /** Why it could not be moved when somebody wanted that. */
  readonly notes: readonly string[];
  /** Kills it unless it was moved, and resolves when it has ended. */
  leave(): Promise<void>;
}

/** @param wanted fires when somebody wants it in the background */
export function startMovable(
  line: Line,
  { input, context, wanted }: { input: BashInput; context: CallContext; wanted: AbortSignal },
): MovableCommand {
  const { outputFile, commands, tasks } = context;
  const live = createLiveOutput();
  const [killed, untimed] = [new AbortController(), new AbortController()];
  const kill = (): void => killed.abort();
  const notes: string[] = [];
  let taskId: string | undefined;
  let ended = false;
  whenFired(context.signal, kill);
  const running = commands.run({ ...line, outputFile, signal: killed.signal, untimed: untimed.signal, onOutput: live.push }).finally(() => {
    ended = true;
    live.end();
  });
  running.catch(() => {
    // Awaited by the call or the task; until then an error must not count as one that nobody handles.
  });

  function move(): void {
    if (ended || context.signal.aborted) return;
    try {
      const task = tasks.start({
        ...aboutTask(input),
        outputFile,
        async run({ signal }) {
          whenFired(signal, kill);
          return taskEnd(input, await running);
        },
      });
      taskId = task.id;
    } catch (error) {
      notes.push(`It was asked to go on in the background, and could not: ${messageOf(error)}`);
      return;
    }
    context.signal.removeEventListener('abort', kill);
    untimed.abort();
    live.end();
  }

  whenFired(wanted, move);
  return {
    notes,
    pieces: () => live.pieces(),
    outcome: async () => (taskId === undefined ? { kind: 'ended', result: await running } : { kind: 'moved', taskId }),
    async leave() {
      wanted.removeEventListener('abort', move);
      context.signal.removeEventListener('abort', kill);
      if (taskId !== undefined) return;
      kill();
      await Promise.allSettled([running]);
    },
  };
}

function whenFired(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}
