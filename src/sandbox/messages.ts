// What travels between the service and its helper process, as plain JSON: lists of orders, and of reports. Every `run` and `exec`
// ends in exactly one of `ran`, `executed` or `failed`.
import type { CommandRequest, CommandResult, CommandRunner, ProgramRequest, ProgramResult } from '../contract/index.ts';

/** A program around another one, which lets that see and do less. */
export interface Enclosure {
  /** Absolute path. */
  readonly file: string;
  /** All that comes before the other program and its own arguments. */
  readonly args: readonly string[];
  /** What it gets open, as its descriptors from {@link FIRST_BOUND} on. */
  readonly bound: readonly BoundPath[];
  /** Variables that a shell obeys and takes away before its line runs. */
  readonly shellEnv: Readonly<Record<string, string>>;
}

export const FIRST_BOUND = 6;

export interface BoundPath {
  /** Absolute and real. */
  readonly path: string;
  /** `place`: it is opened without the right to read it. `content`: it is a file to be read from its beginning. */
  readonly use: 'place' | 'content';
}

/** A runner that can put a program around what it runs. */
export interface EnclosingRunner extends CommandRunner {
  run(request: CommandRequest & { readonly enclosure?: Enclosure }): Promise<CommandResult>;
  exec(request: ProgramRequest & { readonly enclosure?: Enclosure }): Promise<ProgramResult>;
}

type RunParts = 'command' | 'cwd' | 'env' | 'outputFile' | 'timeoutMs' | 'maxOutputBytes' | 'adoptable';
type ExecParts = 'file' | 'args' | 'cwd' | 'env' | 'timeoutMs' | 'maxOutputBytes';

export interface RunOrder extends Pick<CommandRequest, RunParts> {
  readonly type: 'run';
  readonly id: number;
  readonly enclosure?: Enclosure;
}

export interface ExecOrder extends Pick<ProgramRequest, ExecParts> {
  readonly type: 'exec';
  readonly id: number;
  readonly enclosure?: Enclosure;
}

/** What becomes of an order that was given before: it ends, or its time has no limit any more. */
export interface ChangeOrder {
  readonly type: 'stop' | 'untime';
  readonly id: number;
}

/** `alive`: the service does not stand still. `end`: it ends in order, so that all that runs is to be killed. */
export interface ServiceOrder {
  readonly type: 'alive' | 'end';
}

export type Order = RunOrder | ExecOrder | ChangeOrder | ServiceOrder;

/**
 * What a process of the service says to a helper that another one has left, through its socket, as lines of JSON: first whose
 * command it attends to, or that it wants to know which sessions have any.
 */
export type AttachLine =
  | { readonly type: 'attach'; readonly outputFile: string }
  | { readonly type: ChangeOrder['type'] }
  | { readonly type: 'sessions' };

/** How a helper takes care of what runs. Milliseconds. */
export interface HelperTimes {
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** That commands go on while no process of the service attends to them. */
  readonly orphanMs: number;
  /** That the service may be silent before all that runs is killed; absent: as long as it likes. */
  readonly watchdogMs?: number;
}

export type Report =
  /** From here on the service can kill the process group itself, should the helper die. */
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'output'; readonly id: number; readonly offset: number; readonly text: string }
  | { readonly type: 'ran'; readonly id: number; readonly result: CommandResult }
  | { readonly type: 'executed'; readonly id: number; readonly result: ProgramResult }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };

/** Hands a report to the service; `sent` is called when it has left this process (or never will). */
export type SendReport = (report: Report, sent?: () => void) => void;
