// Who is in a process group, as Linux tells it. Elsewhere there is no sandbox, and nobody asks.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds that killed processes have to go. The kernel frees what they hold first, which many of them make long. */
const MAX_WAIT_MS = 5000;

export interface GroupMember {
  readonly pid: number;
  readonly parent: number;
}

/** All that still run: a process whose end nobody has asked for yet is over. */
export function membersOf(group: number): GroupMember[] {
  return readdirSync('/proc').flatMap((name) => {
    const member = /^\d+$/.test(name) ? readStatus(name) : undefined;
    return member !== undefined && member.group === group && !member.over ? [member] : [];
  });
}

function readStatus(pid: string): (GroupMember & { readonly group: number; readonly over: boolean }) | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold anything.
    const [state = '', parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(parent), group: Number(group), over: 'ZX'.includes(state) };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** Waits until a member that was killed runs no more. */
export async function memberGone(pid: number, group: number): Promise<void> {
  for (const endMs = performance.now() + MAX_WAIT_MS; performance.now() < endMs; await setTimeout(1)) {
    const status = readStatus(String(pid));
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
