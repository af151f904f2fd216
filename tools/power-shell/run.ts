// One call: PowerShell runs while its output is passed on, then the result is made of what lies in the output file.
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallContext, CommandRequest, CommandResult, ToolEmission, ToolResult } from '../../src/contract/index.ts';
import { BASE_ENVIRONMENT } from '../../src/shell/base-environment.ts';
import { lineFor, timeoutOf, type PowerShellInput } from './input.ts';
import { showOutput } from './shown-output.ts';

/** Characters of a result, the rest stays in the output file. */
export const MAX_RESULT_CHARS = 30_000;
/** What is said of an error has 10,000 in all, exit code and notes among them. */
const MAX_FAILURE_CHARS = 9_000;
const CHARS_FOR_NOTES = 1_000;
/** Output past this kills it. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
/** Pieces that wait for a reader who is slower; what comes meanwhile is passed over, which the offsets show. */
const MAX_WAITING = 16;

type Piece = Parameters<NonNullable<CommandRequest['onOutput']>>[0];

export interface PowerShellProgress {
  readonly kind: 'output';
  readonly stream: 'stdout';
  readonly offset: number;
  readonly text: string;
}

export interface PowerShellOutput extends Pick<CommandResult, 'exitCode' | 'signal' | 'stopped' | 'outputBytes'> {}

export async function* runPowerShell(
  input: PowerShellInput,
  context: CallContext,
): AsyncGenerator<ToolEmission<PowerShellProgress>, ToolResult<PowerShellOutput>, void> {
  const home = join(dirname(context.outputFile), 'home');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { state, workspace, decision, sessionId, outputFile } = context;
  const isThere = await stat(state.cwd).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  // The reader may leave early; then nobody is there to wait for it, and it must end all the same.
  const left = new AbortController();
  const live = liveOutput();
  const running = context.commands
    .run({
      owner: sessionId,
      command: lineFor(input.command),
      cwd: isThere ? state.cwd : workspace,
      env: environmentOf(context, home),
      // As with a command of Bash: a yes to it is one to what is protected.
      approved: decision.decided_by === 'approval' || state.mode === 'bypassPermissions',
      outputFile,
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
    for await (const { offset, text } of live.pieces) {
      if (!context.signal.aborted) yield { type: 'progress', data: { kind: 'output', stream: 'stdout', offset, text } };
    }
    return await resultOf(await running, input, context);
  } finally {
    left.abort();
    await Promise.allSettled([running]);
  }
}

function environmentOf({ env }: CallContext, home: string): Record<string, string> {
  const quiet = { NO_COLOR: '1', POWERSHELL_TELEMETRY_OPTOUT: '1', POWERSHELL_UPDATECHECK: 'Off', DOTNET_CLI_TELEMETRY_OPTOUT: '1' };
  return { ...BASE_ENVIRONMENT, SHELL: '/bin/bash', TERM: 'dumb', ...quiet, HOME: home, ...env };
}

/** Joins a command that pushes its output with a reader that pulls it. */
function liveOutput(): { push: (piece: Piece) => void; end: () => void; pieces: ReadableStream<Piece> } {
  let sink: ReadableStreamDefaultController<Piece> | undefined;
  const pieces = new ReadableStream<Piece>(
    { start: (controller) => void (sink = controller), cancel: () => void (sink = undefined) },
    { highWaterMark: MAX_WAITING },
  );
  return {
    pieces,
    push: (piece) => {
      if ((sink?.desiredSize ?? 0) > 0) sink?.enqueue(piece);
    },
    end: () => {
      sink?.close();
      sink = undefined;
    },
  };
}

async function resultOf(result: CommandResult, input: PowerShellInput, { outputFile }: CallContext): Promise<ToolResult<PowerShellOutput>> {
  const { exitCode, signal, stopped, outputBytes } = result;
  const isError = exitCode !== 0 || stopped !== null;
  const shown = await showOutput(outputFile, {
    maxBytes: isError ? MAX_FAILURE_CHARS : MAX_RESULT_CHARS - CHARS_FOR_NOTES,
    withTail: isError,
  });
  // The file stays only when something of it is not shown.
  if (!shown.cut) await rm(outputFile, { force: true });
  return {
    content: [...statusOf(result, input), shown.text || '(no output)'].join('\n'),
    isError,
    output: { exitCode, signal, stopped, outputBytes },
    ...(shown.cut && { spilled: { path: outputFile, bytes: outputBytes } }),
    ...(stopped === 'timeout' && { timedOut: true }),
  };
}

/** The first line of a result when PowerShell did not simply end with 0. */
function statusOf({ exitCode, signal, stopped }: CommandResult, input: PowerShellInput): string[] {
  switch (stopped) {
    case 'timeout':
      return [`Timed out after ${timeoutOf(input) / 1000} s: PowerShell was killed with all it had started. What it printed until then:`];
    case 'aborted':
      return ['Aborted: PowerShell was killed with all it had started. What it printed until then:'];
    case 'output_limit':
      return [`Killed: PowerShell printed more than ${MAX_OUTPUT_BYTES} bytes. Let it print less.`];
    case null:
      if (exitCode === null) return [`Killed by signal ${signal ?? 'unknown'}`];
      return exitCode === 0 ? [] : [`Exit code ${exitCode}`];
  }
}
