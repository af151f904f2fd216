// What is told through the shell's second pipe: first by bubblewrap, where there is one, then by the shell. A command can write
// there after them, so that anything that is not what they write counts as not told.
import { constants } from 'node:os';

const MAX_PATH_BYTES = 4096;
/** Longer than any report. */
export const MAX_REPORT_BYTES = MAX_PATH_BYTES + 1024;

export interface ShellReport {
  /** False when the line never began to run. */
  readonly started: boolean;
  /** With which exit code the shell left by itself. */
  readonly exitCode: number | null;
  /** In which directory. */
  readonly cwd: string | null;
  /** The first process inside, with whose end all others have ended. */
  readonly first: number | null;
}

export function readReport(bytes: Buffer): ShellReport {
  const [, about = '', shell = ''] = /^(\{[^}]*\}\n)?([^]*)$/.exec(bytes.toString('utf8')) ?? [];
  const [, code, path = ''] = /^\n(\d{1,3}) (\/[^]*)\n$/.exec(shell) ?? [];
  const [, first] = /"child-pid": (\d+)/.exec(about) ?? [];
  const whole = code !== undefined && Buffer.byteLength(path) <= MAX_PATH_BYTES;
  return {
    started: shell.startsWith('\n'),
    exitCode: whole ? Number(code) : null,
    cwd: whole ? path : null,
    first: first === undefined ? null : Number(first),
  };
}

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** An enclosing program tells a signal n as exit code 128 + n, as shells do: it was none if the shell itself left with that code. */
export function exitOfEnclosed(exit: Exit, report: ShellReport): Exit {
  if (exit.exitCode === null || exit.exitCode <= 128 || report.exitCode === exit.exitCode) return exit;
  const number = exit.exitCode - 128;
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return signal === undefined ? exit : { exitCode: null, signal };
}
