// What travels between the service and its helper process, as plain JSON. Every order but `stop` ends in exactly one
// of `ran`, `executed` or `failed`.
import type { CommandResult, ProgramResult } from '../contract/index.ts';

export interface RunOrder {
  readonly type: 'run';
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly outputFile: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface ExecOrder {
  readonly type: 'exec';
  readonly id: number;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export type Order = RunOrder | ExecOrder | { readonly type: 'stop'; readonly id: number };

export type Report =
  /** From here on the service can kill the process group itself, should the helper die. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'output'; readonly id: number; readonly offset: number; readonly text: string }
  | { readonly type: 'ran'; readonly id: number; readonly result: CommandResult }
  | { readonly type: 'executed'; readonly id: number; readonly result: ProgramResult }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };

/** Hands a report to the service; `sent` is called when it has left this process (or never will). */
export type SendReport = (report: Report, sent?: () => void) => void;
