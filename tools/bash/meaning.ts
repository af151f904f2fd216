import type { CommandResult } from '../../src/contract/index.ts';
import { isBenignExit } from '../../src/shell/exit-meaning.ts';

export function isFailure(command: string, { exitCode, stopped }: CommandResult): boolean {
  if (stopped !== null || exitCode === null) return true;
  return exitCode !== 0 && !isBenignExit(command, exitCode);
}

export interface Limits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** The first line of a result when the command did not simply end with 0. */
export function statusLine({ exitCode, signal, stopped }: CommandResult, limits: Limits): string | null {
  switch (stopped) {
    case 'timeout':
      return `Timed out after ${limits.timeoutMs / 1000} s: the command was killed with all it had started. What it printed until then:`;
    case 'aborted':
      return 'Aborted: the command was killed with all it had started. What it printed until then:';
    case 'output_limit':
      return `Killed: the command printed more than ${limits.maxOutputBytes} bytes. Let it print less, or filter its output.`;
    case null:
      if (exitCode === null) return `Killed by signal ${signal ?? 'unknown'}`;
      return exitCode === 0 ? null : `Exit code ${exitCode}`;
  }
}
