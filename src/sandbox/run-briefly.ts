// A program of the system that answers at once, run while the service starts: without the library that runs the others, which
// takes longer to load than this takes.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { messageOf } from '../contract/index.ts';

export interface BriefRun {
  readonly timeoutMs: number;
  /** Open files that it gets as its descriptors 6, 7, …: those below are closed to it. */
  readonly descriptors?: readonly number[];
}

export interface BriefEnd {
  /** `null` when it was killed or could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Why it could not be started, where it could not. */
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Runs it with an empty environment, and kills it when its time is over. Never throws. */
export async function runBriefly(file: string, args: readonly string[], options: BriefRun): Promise<BriefEnd> {
  try {
    return await ended(file, args, options);
  } catch (error) {
    return { exitCode: null, stdout: '', stderr: messageOf(error), timedOut: false };
  }
}

async function ended(file: string, args: readonly string[], { timeoutMs, descriptors = [] }: BriefRun): Promise<BriefEnd> {
  const child = spawn(file, args, {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', ...descriptors],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const { promise, resolve } = Promise.withResolvers<Pick<BriefEnd, 'exitCode'> & { readonly fault?: string }>();
  child.once('error', (error) => resolve({ exitCode: null, fault: error.message }));
  child.once('close', (exitCode) => resolve({ exitCode }));
  const [{ exitCode, fault }, stdout, stderr] = await Promise.all([promise, textOf(child.stdout), textOf(child.stderr)]);
  return { exitCode, stdout, stderr: fault ?? stderr, timedOut: child.killed };
}

async function textOf(stream: Readable | null): Promise<string> {
  return stream === null ? '' : text(stream);
}
