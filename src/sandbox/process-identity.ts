// Which process a number means: numbers are given out again, and mean others in another container or on another machine.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Place of the start time among what stands after a program's name in /proc/PID/stat. */
const START_FIELD = 19;

export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the kernel counts; `null` where the system does not tell. */
  readonly start: string | null;
}

/** Names all that shares its numbers of processes with this one, from one start of the machine to the next. */
export function hostIdentity(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux tells.
    return hostname();
  }
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: statusOf(pid)?.start ?? null };
}

/** Whether this very process still runs; `undefined` where the system does not tell. */
export function isThere({ pid, start }: ProcessIdentity): boolean | undefined {
  if (start === null) return undefined;
  const status = statusOf(pid);
  return status !== undefined && status.start === start && !'ZX'.includes(status.state);
}

function statusOf(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[START_FIELD] ?? '' };
  } catch {
    // It has ended, or the system does not tell.
    return undefined;
  }
}
