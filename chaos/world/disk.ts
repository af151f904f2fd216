// A small file system for the data directory, so that it can be filled.
import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';

const run = promisify(execFile);
const SIZE = '256m';
const PIECE = Buffer.alloc(4 * 1024 * 1024);

export interface Disk {
  /** A directory on it. */
  readonly directory: string;
  /** Leaves no room on it for a while. */
  fill(forMs: number): Promise<void>;
  unmount(): Promise<void>;
}

/** @returns `null` where this user may not mount, or the system has no tmpfs */
export async function mountDisk(path: string): Promise<Disk | null> {
  await mkdir(path, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0755`, 'tmpfs', path]);
  } catch {
    return null;
  }
  const directory = join(path, 'data');
  await mkdir(directory, { mode: 0o700 });
  return {
    directory,
    async fill(forMs) {
      const filler = join(path, 'filler');
      try {
        await fillWith(filler);
        await wait(forMs);
      } finally {
        await rm(filler, { force: true });
      }
    },
    // Also while something of a dead process still holds it.
    unmount: async () => void (await run('umount', ['-l', path])),
  };
}

async function fillWith(file: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (;;) await handle.write(PIECE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}
