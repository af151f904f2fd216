// One call: the command runs while its output is passed on, then the result is made of what lies in the output file.
import { mkdir, rm } from 'node:fs/promises';
import type { CallContext, CommandResult, ToolEmission, ToolResult } from '../../src/contract/index.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { nextDirectory, startDirectory } from './directory.ts';
import { environmentFor, homeOf } from './environment.ts';
import { refusalOfGit } from './git-preflight.ts';
import type { BashInput } from './input.ts';
import { timeoutOf } from './input.ts';
import { createLiveOutput, type OutputPiece } from './live-output.ts';
import { isFailure, statusLine } from './meaning.ts';
import { showOutput } from './shown-output.ts';

/** Characters of a result, the rest stays in the output file. */
export const MAX_RESULT_CHARS = 30_000;
/** Characters of a failed command's output: what is said of an error has 10,000 in all, exit code and notes among them. */
const MAX_FAILURE_CHARS = 9_000;
/** Output past this kills the command. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
/** Left for the exit code and the notes, so that the engine need not cut again. */
const CHARS_FOR_NOTES = 1_000;

export interface BashProgress {
  readonly kind: 'output';
  readonly stream: 'stdout';
  readonly offset: number;
  readonly text: string;
}

export interface BashOutput {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stopped: CommandResult['stopped'];
  /** Bytes printed and kept. */
  readonly outputBytes: number;
}

/** What is protected is asked for, unless nothing is: a yes to the command is one to that. */
function isApproved({ decision, state }: CallContext): boolean {
  return decision.decided_by === 'approval' || state.mode === 'bypassPermissions';
}

export async function* runBash(
  input: BashInput,
  context: CallContext,
): AsyncGenerator<ToolEmission<BashProgress>, ToolResult<BashOutput>, void> {
  const start = await startDirectory(context);
  await mkdir(homeOf(context), { recursive: true, mode: 0o700 });
  const readOnly = isReadOnlyCommand(input.command);
  const refusal = readOnly ? await refusalOfGit({ command: input.command, cwd: start.cwd }, context) : null;
  if (refusal !== null) return { content: refusal, isError: true };
  const live = createLiveOutput();
  // The reader may leave early; then nobody is there to wait for the command, and it must end all the same.
  const left = new AbortController();
  const running = context.commands
    .run({
      owner: context.sessionId,
      command: input.command,
      cwd: start.cwd,
      env: environmentFor(input.command, context, readOnly),
      readOnly,
      approved: isApproved(context),
      outputFile: context.outputFile,
      timeoutMs: timeoutOf(input),
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal: AbortSignal.any([context.signal, left.signal]),
      onOutput: live.push,
    })
    .finally(live.end);
  running.catch(() => {
    // Awaited below; until then an error must not count as one that nobody handles.
  });
  try {
    for await (const piece of live.pieces()) {
      if (!context.signal.aborted) yield progress(piece);
    }
    return await resultOf(await running, { input, context, notes: start.note === undefined ? [] : [start.note], startedIn: start.cwd });
  } finally {
    left.abort();
    await Promise.allSettled([running]);
  }
}

function progress({ offset, text }: OutputPiece): ToolEmission<BashProgress> {
  return { type: 'progress', data: { kind: 'output', stream: 'stdout', offset, text } };
}

interface Finished {
  readonly input: BashInput;
  readonly context: CallContext;
  readonly startedIn: string;
  readonly notes: readonly string[];
}

async function resultOf(result: CommandResult, finished: Finished): Promise<ToolResult<BashOutput>> {
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
  const notes = [...finished.notes, ...(next.note === undefined ? [] : [next.note])].map((note) => `[${note}]`);
  return {
    content: [...(status === null ? [] : [status]), shown.text || '(no output)', ...notes].join('\n'),
    isError: failed,
    output: { exitCode, signal, stopped, outputBytes },
    ...(next.contextModifier === undefined ? {} : { contextModifier: next.contextModifier }),
    ...(shown.cut ? { spilled: { path: context.outputFile, bytes: outputBytes } } : {}),
    ...(stopped === 'timeout' ? { timedOut: true } : {}),
  };
}
