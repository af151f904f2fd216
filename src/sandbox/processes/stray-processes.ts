// Finds processes by what they hold open: all that a helper starts inherits something of its private directory, a pipe or
// an empty file, and nobody else has that.
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { killProcess } from './processes.ts';

/** What is found starts no more of its kind once it is killed, so that few rounds are enough. */
const MAX_ROUNDS = 10;

/**
 * Kills every process that holds this directory or something in it open, also what was deleted there. Only Linux tells of
 * other processes' open files; elsewhere nothing is found.
 */
export async function killHolders(directory: string): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const holders = await findHolders(directory);
    if (holders.length === 0) return;
    for (const pid of holders) killProcess(pid, 'SIGKILL');
  }
}

async function findHolders(prefix: string): Promise<number[]> {
  const pids = (await list('/proc')).filter((name) => /^\d+$/.test(name));
  const held = await Promise.all(pids.map((pid) => holdsAny(join('/proc', pid, 'fd'), prefix)));
  return pids.filter((_, index) => held[index]).map(Number);
}

async function holdsAny(descriptors: string, prefix: string): Promise<boolean> {
  const targets = await Promise.all((await list(descriptors)).map((name) => readlink(join(descriptors, name)).catch(() => '')));
  return targets.some((target) => target.startsWith(prefix));
}

async function list(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => {
    // The process has ended, or is another user's.
    return [];
  });
}
