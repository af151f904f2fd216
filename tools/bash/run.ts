// One call: the command runs while its output is passed on, then the result is made of what lies in the output file. Or it
// runs in the background, from its start on or once somebody wants that, and the call is answered at once.
import type { CallContext, ToolEmission, ToolResult } from '../../src/contract/index.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { makeHome } from '../../src/shell/session-command/environment.ts';
import { timeoutOf } from '../../src/shell/session-command/input.ts';
import {
  beginLine,
  callFacts,
  MAX_OUTPUT_BYTES,
  type CommandProgress,
  type Line,
} from '../../src/shell/session-command/running-command.ts';
import { startDirectory } from '../../src/shell/session-command/start-directory.ts';
import { answerOfTask, startTask } from './background.ts';
import { environmentFor } from './environment.ts';
import { refusalOfGit } from './git-preflight.ts';
import type { BashInput } from './input.ts';
import { startMovable } from './movable-command.ts';
import { resultOf, type BashOutput } from './result.ts';

export type BashProgress = CommandProgress;

export async function* runBash(
  input: BashInput,
  context: CallContext,
): AsyncGenerator<ToolEmission<BashProgress>, ToolResult<BashOutput>, void> {
  // Asked for before anything else: whoever sees that the call runs may want it in the background.
  const wanted = input.run_in_background === true ? undefined : context.backgroundRequest();
  const [start] = await Promise.all([startDirectory(context), makeHome(context)]);
  const readOnly = isReadOnlyCommand(input.command);
  const refusal = readOnly ? await refusalOfGit({ command: input.command, cwd: start.cwd }, context) : null;
  if (refusal !== null) return { content: refusal, isError: true };
  // What only reads can run again, and need not outlive the service.
  const lasting = !readOnly || wanted === undefined;
  const line: Line = {
    ...callFacts(context),
    ...(lasting && { adoptable: context.sessionId }),
    command: input.command,
    cwd: start.cwd,
    env: environmentFor(input.command, context, readOnly),
    readOnly,
    timeoutMs: timeoutOf(input),
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
  const notes = start.note === undefined ? [] : [start.note];
  if (wanted === undefined) return answerOfTask(startTask(line, input, context), { began: 'runs', notes }, context);
  const command = startMovable(beginLine(line), { input, context, wanted });
  try {
    yield* command.progress();
    const outcome = await command.outcome();
    if (outcome.kind === 'moved') return answerOfTask(outcome.taskId, { began: 'goes on', notes }, context);
    return await resultOf(outcome.result, { input, context, notes: [...notes, ...command.notes], startedIn: start.cwd });
  } finally {
    // The reader may have left early; then nobody is there to wait for the command, and it must end all the same.
    await command.leave();
  }
}
