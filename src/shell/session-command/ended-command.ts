// What a call says of a command that has ended.
import { unlink } from 'node:fs/promises';
import type { CallContext, CommandResult, ToolResult } from '../../contract/index.ts';
import { MAX_OUTPUT_BYTES } from './running-command.ts';
import { showOutput } from './shown-output.ts';

/** Characters of a result, the rest stays in the output file. */
export const MAX_RESULT_CHARS = 30_000;
/** Characters of a failed command's output: what is said of an error has 10,000 in all, exit code and notes among them. */
const MAX_FAILURE_CHARS = 9_000;
/** Left for the exit code and the notes, so that the engine need not cut again. */
const CHARS_FOR_NOTES = 1_000;

/** How a command ended. */
export type CommandEnd = Pick<CommandResult, 'exitCode' | 'signal' | 'stopped' | 'outputBytes'>;

export interface ToldOfCommand {
  readonly failed: boolean;
  readonly timeoutMs: number;
  /** Shown below what it printed. */
  readonly notes?: readonly string[];
}

export async function resultOfCommand(
  result: CommandResult,
  { failed, timeoutMs, notes = [] }: ToldOfCommand,
  { outputFile }: CallContext,
): Promise<ToolResult<CommandEnd>> {
  const { exitCode, signal, stopped, outputBytes } = result;
  const shown = await showOutput(outputFile, {
    bytes: outputBytes,
    maxChars: failed ? MAX_FAILURE_CHARS : MAX_RESULT_CHARS - CHARS_FOR_NOTES,
    withTail: exitCode !== 0 || stopped !== null,
  });
  // The file stays only when something of it is not shown.
  if (!shown.cut && outputBytes > 0) await removed(outputFile);
  const status = statusLine(result, timeoutMs);
  return {
    content: withNotes([...(status === null ? [] : [status]), shown.text || '(no output)'], notes),
    isError: failed,
    output: { exitCode, signal, stopped, outputBytes },
    ...(shown.cut && { spilled: { path: outputFile, bytes: outputBytes } }),
    ...(stopped === 'timeout' && { timedOut: true }),
  };
}

export function withNotes(lines: readonly string[], notes: readonly string[]): string {
  return [...lines, ...notes.map((note) => `[${note}]`)].join('\n');
}

async function removed(file: string): Promise<void> {
  await unlink(file).catch(() => {
    // It goes with the session.
  });
}

/** The first line of a result when the command did not simply end with 0. */
function statusLine({ exitCode, signal, stopped }: CommandResult, timeoutMs: number): string | null {
  switch (stopped) {
    case 'timeout':
      return `Timed out after ${timeoutMs / 1000} s: the command was killed with all it had started. What it printed until then:`;
    case 'aborted':
      return 'Aborted: the command was killed with all it had started. What it printed until then:';
    case 'orphaned':
      return 'Killed with all it had started: the service was stopped for longer than a command may go on alone. What it printed until then:';
    case 'output_limit':
      return `Killed: the command printed more than ${MAX_OUTPUT_BYTES} bytes. Let it print less, or filter its output.`;
    case null:
      if (exitCode === null) return `Killed by signal ${signal ?? 'unknown'}`;
      return exitCode === 0 ? null : `Exit code ${exitCode}`;
  }
}
