// A real command runner with a directory of its own, and short ways to use it.
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CommandRequest, CommandResult, CommandRunner, ProgramRequest } from '../../src/contract/index.ts';
import { startCommandRunner, type CommandRunnerOptions } from '../../src/sandbox/command-runner.ts';

export const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };

export interface Commands {
  readonly runner: CommandRunner & { close(): Promise<void> };
  /** Absolute real path, removed after the test. */
  readonly directory: string;
  readonly request: (command: string, changes?: Partial<CommandRequest>) => CommandRequest;
  readonly program: (file: string, args: readonly string[], changes?: Partial<ProgramRequest>) => ProgramRequest;
  /** Runs a line and reads the file that its output went to. */
  readonly run: (command: string, changes?: Partial<CommandRequest>) => Promise<CommandResult & { output: string; pieces: Piece[] }>;
}

export interface Piece {
  readonly offset: number;
  readonly text: string;
}

export async function commands(t: TestContext, options?: CommandRunnerOptions): Promise<Commands> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-runner-')));
  const runner = startCommandRunner({ helpers: 1, ...options });
  t.after(async () => {
    await runner.close();
    await rm(directory, { recursive: true, force: true });
  });
  let count = 0;
  const common = () => ({ cwd: directory, env: ENV, timeoutMs: 60_000, maxOutputBytes: 10_000_000, signal: new AbortController().signal });
  const made: Commands = {
    runner,
    directory,
    request: (command, changes) => ({ command, outputFile: join(directory, `output-${(count += 1)}`), ...common(), ...changes }),
    program: (file, args, changes) => ({ file, args, ...common(), ...changes }),
    async run(command, changes) {
      const pieces: Piece[] = [];
      const request = made.request(command, { onOutput: (piece) => pieces.push(piece), ...changes });
      const result = await runner.run(request);
      return { ...result, output: await readFile(request.outputFile, 'utf8'), pieces };
    },
  };
  return made;
}

/** Waits until a process has ended. @throws Error when it is still there after ten seconds */
export async function ended(pid: number): Promise<void> {
  for (let round = 0; round < 1000; round += 1) {
    if (!isRunning(pid)) return;
    await setTimeout(10);
  }
  throw new Error(`Process ${pid} is still running.`);
}

export function isRunning(pid: number): boolean {
  try {
    // A zombie has ended; nobody has asked for its exit code yet.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Settles with the output so far once it matches. */
export function outputThat(matches: RegExp): { seen: Promise<string>; onOutput: (piece: Piece) => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  return {
    seen: promise,
    onOutput: (piece) => {
      text += piece.text;
      if (matches.test(text)) resolve(text);
    },
  };
}

/** For a line: waits until the file is there. */
export function waitFor(file: string): string {
  return `while [ ! -e ${file} ]; do sleep 0.02; done`;
}
