import { setTimeout } from 'node:timers/promises';

/** Whether anything of the process group is left. */
export function groupExists(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** Resolves when nothing of it is left: what was killed is there until somebody has taken note of it. */
export async function groupGone(pid: number): Promise<void> {
  while (groupExists(pid)) await setTimeout(10);
}
