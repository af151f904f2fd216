// Real pipes for children. Node connects children by sockets, on which `echo x > /dev/stdout` fails, and a plain file would
// be truncated by it; Node cannot make pipes, so FIFOs are made ahead in batches and unlinked the moment they are open.
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

const BATCH = 256;
const REFILL_BELOW = 128;

/** Descriptors of both ends; the read end does not block. Disposing of it closes what is still open and its own. */
export interface Pipe extends Disposable {
  readonly readEnd: number;
  readonly writeEnd: number;
  closeWriteEnd(): void;
  /** Gives the read end to someone who closes it. */
  handOverReadEnd(): number;
}

export interface PipePool {
  /** @throws Error when no pipe could be made. */
  take(): Promise<Pipe>;
}

/** @param directory private directory that only this pool uses */
export function createPipePool(directory: string): PipePool {
  const ready: string[] = [];
  let made = 0;
  let refilling: Promise<void> | undefined;

  async function refill(): Promise<void> {
    const paths = Array.from({ length: BATCH }, (_, index) => join(directory, `pipe-${made + index}`));
    made += BATCH;
    await runFile('mkfifo', ['-m', '600', '--', ...paths]);
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

function openPipe(path: string): Pipe {
  using opened = new DisposableStack();
  opened.defer(() => unlinkSync(path));
  // The read end must be first: without a reader, opening the write end would block this process.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const ownEnds = new Set([readEnd]);
  const closeEnd = (end: number): void => {
    if (ownEnds.delete(end)) closeSync(end);
  };
  try {
    const writeEnd = openSync(path, constants.O_WRONLY);
    ownEnds.add(writeEnd);
    return {
      readEnd,
      writeEnd,
      closeWriteEnd: () => closeEnd(writeEnd),
      handOverReadEnd() {
        ownEnds.delete(readEnd);
        return readEnd;
      },
      [Symbol.dispose]() {
        for (const end of ownEnds) closeEnd(end);
      },
    };
  } catch (error) {
    closeEnd(readEnd);
    throw error;
  }
}
