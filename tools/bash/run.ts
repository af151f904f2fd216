// One call: the command runs while its output is passed on, then the result is made of what lies in the output file. Or it
// runs in the background, from its start on or once somebody wants that, and the call is answered at once.
import { mkdir } from 'node:fs/promises';
import type { CallContext, ToolEmission, ToolResult } from '../../src/contract/index.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { answerOfTask, startTask, type Line } from './background.ts';
import { startDirectory } from './directory.ts';
import { environmentFor, homeOf } from './environment.ts';
import { refusalOfGit } from './git-preflight.ts';
import { timeoutOf, type BashInput } from './input.ts';
import type { OutputPiece } from './live-output.ts';
import { startMovable } from './movable-command.ts';
import { MAX_OUTPUT_BYTES, resultOf, type BashOutput } from './result.ts';

export interface BashProgress {
  readonly kind: 'output';
  readonly stream: 'stdout';
  readonly offset: number;
  readonly text: string;
}

/** What is protected is asked for, unless nothing is: a yes to the command is one to that. */
function isApproved({ decision, state }: CallContext): boolean {
  return decision.decided_by === 'approval' || state.mode === 'bypassPermissions';
}

export async function* runBash(
  input: BashInput,
  context: CallContext,
): AsyncGenerator<ToolEmission<BashProgress>, ToolResult<BashOutput>, void> {
  // Asked for before anything else: whoever sees that the call runs may want it in the background.
  const wanted = input.run_in_background === true ? undefined : context.backgroundRequest();
  const start = await startDirectory(context);
  await mkdir(homeOf(context), { recursive: true, mode: 0o700 });
  const readOnly = isReadOnlyCommand(input.command);
  const refusal = readOnly ? await refusalOfGit({ command: input.command, cwd: start.cwd }, context) : null;
  if (refusal !== null) return { content: refusal, isError: true };
  const line: Line = {
    owner: context.sessionId,
    command: input.command,
    cwd: start.cwd,
    env: environmentFor(input.command, context, readOnly),
    readOnly,
    approved: isApproved(context),
    timeoutMs: timeoutOf(input),
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
  const notes = start.note === undefined ? [] : [start.note];
  if (wanted === undefined) return answerOfTask(startTask(line, input, context), { began: 'runs', notes }, context);
  const command = startMovable(line, { input, context, wanted });
  try {
    for await (const piece of command.pieces()) {
      if (!context.signal.aborted) yield progress(piece);
    }
    const outcome = await command.outcome();
    if (outcome.kind === 'moved') return answerOfTask(outcome.taskId, { began: 'goes on', notes }, context);
    return await resultOf(outcome.result, { input, context, notes: [...notes, ...command.notes], startedIn: start.cwd });
  } finally {
    // The reader may have left early; then nobody is there to wait for the command, and it must end all the same.
    await command.leave();
  }
}

function progress({ offset, text }: OutputPiece): ToolEmission<BashProgress> {
  return { type: 'progress', data: { kind: 'output', stream: 'stdout', offset, text } };
}
