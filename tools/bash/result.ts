// What a call says of a command that has ended.
import { rm } from 'node:fs/promises';
import type { CallContext, CommandResult, ToolResult } from '../../src/contract/index.ts';
import { nextDirectory } from './directory.ts';
import { timeoutOf, type BashInput } from './input.ts';
import { isFailure, statusLine } from './meaning.ts';
import { showOutput } from './shown-output.ts';

/** Characters of a result, the rest stays in the output file. */
export const MAX_RESULT_CHARS = 30_000;
/** Characters of a failed command's output: what is said of an error has 10,000 in all, exit code and notes among them. */
const MAX_FAILURE_CHARS = 9_000;
/** Output past this kills the command. */
export const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
/** Left for the exit code and the notes, so that the engine need not cut again. */
const CHARS_FOR_NOTES = 1_000;

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stopped: CommandResult['stopped'];
  /** Bytes printed and kept. */
  readonly outputBytes: number;
}

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
  const { input, context } = finished;
  const { exitCode, signal, stopped, outputBytes } = result;
  const failed = isFailure(input.command, result);
  const next = await nextDirectory({ started: finished.startedIn, ended: result.cwd ?? finished.startedIn, failed }, context);
  const shown = await showOutput(context.outputFile, {
    bytes: outputBytes,
    maxChars: failed ? MAX_FAILURE_CHARS : MAX_RESULT_CHARS - CHARS_FOR_NOTES,
    withTail: exitCode !== 0 || stopped !== null,
  });
  // The file stays only when something of it is not shown.
  if (!shown.cut) await rm(context.outputFile, { force: true });
  const status = statusLine(result, { timeoutMs: timeoutOf(input), maxOutputBytes: MAX_OUTPUT_BYTES });
  const notes = [...finished.notes, ...(next.note === undefined ? [] : [next.note])];
  return {
    content: withNotes([...(status === null ? [] : [status]), shown.text || '(no output)'], notes),
    isError: failed,
    output: { exitCode, signal, stopped, outputBytes },
    ...(next.contextModifier === undefined ? {} : { contextModifier: next.contextModifier }),
    ...(shown.cut ? { spilled: { path: context.outputFile, bytes: outputBytes } } : {}),
    ...(stopped === 'timeout' ? { timedOut: true } : {}),
  };
}

export function withNotes(lines: readonly string[], notes: readonly string[]): string {
  return [...lines, ...notes.map((note) => `[${note}]`)].join('\n');
}
