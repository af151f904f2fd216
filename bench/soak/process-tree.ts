// What a process and all that it has started hold, as Linux tells of them.
import { readdir, readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;

export interface TreeUse {
  /** Of the helpers and whatever else the process has started. */
  readonly childBytes: number;
  readonly processes: number;
  /** Files, sockets and pipes that are open in all of them. */
  readonly openFiles: number;
}

/** @param pid of a process of this user. Zeros where the system does not tell, as everywhere but on Linux. */
export async function treeUse(pid: number): Promise<TreeUse> {
  const pids = await familyOf(pid);
  const files = await Promise.all(pids.map(openFilesOf));
  const bytes = await Promise.all(pids.slice(1).map(residentBytes));
  return { processes: pids.length, openFiles: sum(files), childBytes: sum(bytes) };
}

/** The process itself comes first. */
async function familyOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const children = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')));
  const pids = children.flatMap((text) => text.split(' ').filter((word) => word.trim() !== '')).map(Number);
  return [pid, ...(await Promise.all(pids.map(familyOf))).flat()];
}

async function openFilesOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return names.length;
}

async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
