// A call that was interrupted: its command may run on, or have ended meanwhile. It ends as it would have without that.
import type { CallContext, ProbeAnswer } from '../../src/contract/index.ts';
import { adopted } from '../../src/shell/session-command/adopted-command.ts';
import { takeUp } from '../../src/shell/session-command/running-command.ts';
import { answerOfTask } from './background.ts';
import type { BashInput } from './input.ts';
import { startMovable, type CommandOutcome, type MovableCommand } from './movable-command.ts';
import { resultOf, type BashOutput } from './result.ts';

export async function adoptBash(input: BashInput, context: CallContext): Promise<ProbeAnswer<BashOutput>> {
  // Which task the call had begun, if any, cannot be told: they are all still there.
  if (input.run_in_background === true) return { kind: 'unclear' };
  const { tasks, outputFile } = context;
  const task = tasks.list().find(({ id }) => tasks.outputFile(id) === outputFile);
  if (task !== undefined) return { kind: 'applied', result: answerOfTask(task.id, { began: 'goes on', notes: [] }, context) };
  const command = startMovable(takeUp, { input, context, wanted: context.backgroundRequest() });
  try {
    return await adopted(context, outcomeOf(command), (outcome) =>
      outcome.kind === 'moved'
        ? answerOfTask(outcome.taskId, { began: 'goes on', notes: [] }, context)
        : resultOf(outcome.result, { input, context, notes: command.notes, startedIn: context.state.cwd }),
    );
  } finally {
    await command.leave();
  }
}

/** What it prints is in its file; that nothing more comes of it here is the sign that it has ended, or was moved. */
async function outcomeOf(command: MovableCommand): Promise<CommandOutcome> {
  const progress = command.progress();
  for (let step = await progress.next(); step.done !== true;) step = await progress.next();
  return command.outcome();
}
