// Processes and their groups, as Linux tells of them. Elsewhere there is no sandbox, and nobody asks who is in a group.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds that killed processes have to go. The kernel frees what they hold first, which many of them make long. */
const MAX_WAIT_MS = 5000;
/** Place of the start time among what stands after a program's name in /proc/PID/stat. */
const START_FIELD = 19;

export interface ProcessStatus {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it started, as the kernel counts. */
  readonly start: string;
  /** Nobody has asked for its end yet. */
  readonly over: boolean;
}

/** `undefined` for one that is not there, and where the system does not tell. */
export function statusOf(pid: number): ProcessStatus | undefined {
  const file = `/proc/${pid}/stat`;
  // Asked first, since an error takes longer to make.
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, 'latin1');
    // The name of the program, in parentheses, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, group] = fields;
    return { pid, parent: Number(parent), group: Number(group), start: fields[START_FIELD] ?? '', over: 'ZX'.includes(state) };
  } catch {
    // It has ended, or the system does not tell.
    return undefined;
  }
}

/** All of a group that still run. */
export function membersOf(group: number): ProcessStatus[] {
  return readdirSync('/proc').flatMap((name) => {
    const member = /^\d+$/.test(name) ? statusOf(Number(name)) : undefined;
    return member !== undefined && member.group === group && !member.over ? [member] : [];
  });
}

/** Waits until a member that was killed runs no more. */
export async function memberGone(pid: number, group: number): Promise<void> {
  for (const endMs = performance.now() + MAX_WAIT_MS; performance.now() < endMs; await setTimeout(1)) {
    const status = statusOf(pid);
    if (status === undefined || status.over || status.group !== group) return;
  }
}

export function killProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Does nothing where there is no leader: it was never started. */
export function killGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader !== undefined) killProcess(-leader, signal);
}
