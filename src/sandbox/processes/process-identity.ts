// Which process a number means: numbers are given out again, and mean others in another container or on another machine.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { statusOf } from './processes.ts';

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
  return status !== undefined && status.start === start && !status.over;
}
