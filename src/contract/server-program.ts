// Programs that are talked to for long: how one is started, and what is said of its end.
import type { Readable, Writable } from 'node:stream';
import { clipped } from './text-parts.ts';

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that is talked to through its standard streams. */
export interface ServerProgram {
  /** Errors of a pipe whose reader has gone come to nobody: `exited` tells of the end. */
  readonly stdin: Writable;
  /** Ends with the program, whoever else holds it open. */
  readonly stdout: Readable;
  /** The last that it printed to its standard error. */
  stderrTail(): string;
  /** Resolves when it has ended and its group has been killed. */
  readonly exited: Promise<ProgramExit>;
  /** Closes its input, then asks the group to stop, then kills it; resolves when nothing of the group is left. */
  kill(): Promise<void>;
}

export interface ProgramOrder {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  /** What the server's settings add to the environment of programs. */
  readonly env: Readonly<Record<string, string>>;
  /** False only where the operator lets the server run outside of the sandbox. */
  readonly sandbox: boolean;
}

/** Starts a program for one session. @throws Error that says why it cannot be */
export type OpenProgram = (order: ProgramOrder) => Promise<ServerProgram>;

/** Characters of its last line that are told. */
const MAX_WORDS = 200;

/** How a program ended by itself, in words that follow its name. */
export function endingOf({ code, signal }: ProgramExit, stderr: string): string {
  const last = clipped(stderr.trim().split('\n').at(-1) ?? '', MAX_WORDS);
  return `It has ended (${code === null ? `signal ${signal}` : `exit code ${code}`}).${last === '' ? '' : ` Its last words: ${last}`}`;
}
