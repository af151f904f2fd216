// Real pipes for children. Node connects children by sockets, on which `echo x > /dev/stdout` fails, and a plain file would
// be truncated by it; Node cannot make pipes, so FIFOs are made ahead in batches and unlinked the moment they are open.
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

const BATCH = 256;
const REFILL_BELOW = 128;

/** Descriptors of both ends. Whoever takes them closes them; the read end does not block. */
export interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

export interface PipePool {
  /** @throws Error when no pipe could be made. */
  take(): Promise<PipeEnds>;
}

/** @param directory private directory that only this pool uses */
export function createPipePool(directory: string): PipePool {
  const ready: string[] = [];
  let made = 0;
  let refilling: Promise<void> | undefined;

  async function refill(): Promise<void> {
    const paths = Array.from({ length: BATCH }, (_, index) => join(directory, `pipe-${made + index}`));
    made += BATCH;
    await execa('mkfifo', ['-m', '600', '--', ...paths], { stdin: 'ignore' });
    ready.push(...paths);
  }

  function startRefill(): Promise<void> {
    refilling ??= refill().finally(() => (refilling = undefined));
    return refilling;
  }

  return {
    async take() {
      while (ready.length === 0) await startRefill();
      const path = ready.shift() ?? '';
      if (ready.length < REFILL_BELOW) {
        startRefill().catch(() => {
          // Whoever finds the pool empty tries again and gets the error.
        });
      }
      return openPipe(path);
    },
  };
}

function openPipe(path: string): PipeEnds {
  // The read end must be first: without a reader, opening the write end would block this process.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  } finally {
    unlinkSync(path);
  }
}
