import { closeSync, lstatSync, openSync, rmSync, write } from 'node:fs';
import { promisify } from 'node:util';

const writeAsync = promisify(write);

/** A file that one command's output is appended to. Disposing of it closes it. */
export interface OutputFile extends Disposable {
  /** Makes it, empty, unless it is there. @throws Error of the system */
  make(): void;
  /** Writes all of `bytes`. @throws Error of the system, such as a full disk */
  append(bytes: Uint8Array): Promise<void>;
  /** Does nothing where nothing was written. */
  remove(): void;
}

/**
 * It is there, readable for this user alone, once there is something in it or somebody wants it: many commands print nothing, and
 * a file costs more than half of what starting one does.
 * @throws Error when something is there already
 */
export function outputFileAt(path: string): OutputFile {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw new Error(`EEXIST: the output file ${path} is there already.`);
  let descriptor: number | undefined;
  const opened = (): number => (descriptor ??= openSync(path, 'wx', 0o600));
  return {
    make: () => void opened(),
    async append(bytes) {
      const into = opened();
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await writeAsync(into, bytes, written);
        written += bytesWritten;
      }
    },
    remove() {
      if (descriptor !== undefined) rmSync(path, { force: true });
    },
    [Symbol.dispose]() {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}
