// The port behind which commands run: checks what can be checked, waits for a free place, and passes the rest to the helper.
import { availableParallelism } from 'node:os';
import PQueue from 'p-queue';
import type { CommandRequest, CommandResult, CommandRunner, ProgramRequest, ProgramResult } from '../contract/index.ts';
import { startHelperProcess, type HelperProcess } from './helper-process.ts';

/** Longest line that is taken, in characters. */
const MAX_COMMAND_CHARS = 100_000;
/** The kernel's own limit for one argument is 131,072 bytes, the closing NUL included. */
const MAX_COMMAND_BYTES = 131_071;

export interface CommandRunnerOptions {
  /** Commands and programs that run at once; the rest wait, first come, first served. */
  readonly maxProcesses?: number;
  /** Milliseconds that a command has between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number;
  /** Helper processes. Starting a command keeps its helper busy, so that two start a batch almost twice as fast. */
  readonly helpers?: number;
}

/** Starts the helpers at once; one that died is replaced when the next command comes. `close` kills all and ends them. */
export function startCommandRunner(options: CommandRunnerOptions = {}): CommandRunner & { close(): Promise<void> } {
  const { maxProcesses = 64, killGraceMs = 1000, helpers: count = Math.min(2, availableParallelism()) } = options;
  const places = new PQueue({ concurrency: maxProcesses });
  const start = () => startHelperProcess({ graceMs: killGraceMs });
  const helpers = Array.from({ length: count }, start);
  let closed = false;

  function leastLoaded(): HelperProcess {
    if (closed) throw new Error('The command runner was closed.');
    for (const [index, helper] of helpers.entries()) if (!helper.alive()) helpers[index] = start();
    return helpers.reduce((best, helper) => (helper.load() < best.load() ? helper : best));
  }

  return {
    async run(request) {
      assertRunnable(request.command);
      return waitForPlace(places, request, { skipped: NOT_RUN, start: () => leastLoaded().run(request) });
    },
    async exec(request) {
      return waitForPlace(places, request, { skipped: NOT_EXECUTED, start: () => leastLoaded().exec(request) });
    },
    async close() {
      closed = true;
      await Promise.all(helpers.map((helper) => helper.close()));
    },
  };
}

const NOT_RUN: CommandResult = { exitCode: null, signal: null, stopped: 'aborted', outputBytes: 0, cwd: null };
const NOT_EXECUTED: ProgramResult = { exitCode: null, stdout: '', stderr: '', truncated: false, stopped: 'aborted' };

function assertRunnable(command: string): void {
  if (command.includes('\0')) throw new Error('The command contains a NUL character, which no shell can take: remove it.');
  if (command.length > MAX_COMMAND_CHARS || Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    throw new Error(
      `The command has ${command.length} characters; at most ${MAX_COMMAND_CHARS} (${MAX_COMMAND_BYTES} bytes) can be run. ` +
        'Write it to a file and run the file.',
    );
  }
}

interface Turn<Result> {
  readonly start: () => Promise<Result>;
  /** The answer when the request was aborted before its turn came. */
  readonly skipped: Result;
}

async function waitForPlace<Result>(
  places: PQueue,
  { signal }: CommandRequest | ProgramRequest,
  { start, skipped }: Turn<Result>,
): Promise<Result> {
  if (signal.aborted) return skipped;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const leave = () => resolve(skipped);
  signal.addEventListener('abort', leave);
  // Aborting is not left to the queue: it would give the place away while the process still runs.
  void places.add(async () => {
    signal.removeEventListener('abort', leave);
    if (signal.aborted) return;
    try {
      resolve(await start());
    } catch (error) {
      reject(error);
    }
  });
  return promise;
}
