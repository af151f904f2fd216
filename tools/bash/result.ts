// What a call says of a command that has ended.
import type { CallContext, CommandResult, ToolResult } from '../../src/contract/index.ts';
import { isBenignExit } from '../../src/shell/exit-meaning.ts';
import { resultOfCommand, type CommandEnd } from '../../src/shell/session-command/ended-command.ts';
import { timeoutOf } from '../../src/shell/session-command/input.ts';
import { nextDirectory } from './directory.ts';
import type { BashInput } from './input.ts';

/** Where a command goes on that has not ended. */
export interface TaskBegun {
  readonly taskId: string;
  readonly outputFile: string;
}

export type BashOutput = CommandEnd | TaskBegun;

export interface Finished {
  readonly input: BashInput;
  readonly context: CallContext;
  readonly startedIn: string;
  readonly notes: readonly string[];
}

export async function resultOf(result: CommandResult, finished: Finished): Promise<ToolResult<BashOutput>> {
  const { input, context, startedIn } = finished;
  const failed = isFailure(input.command, result);
  const { note, ...next } = await nextDirectory({ started: startedIn, ended: result.cwd ?? startedIn, failed }, context);
  const notes = [...finished.notes, ...(note === undefined ? [] : [note])];
  return { ...(await resultOfCommand(result, { failed, timeoutMs: timeoutOf(input), notes }, context)), ...next };
}

function isFailure(command: string, { exitCode, stopped }: CommandResult): boolean {
  if (stopped !== null || exitCode === null) return true;
  return exitCode !== 0 && !isBenignExit(command, exitCode);
}
