import { closeSync, openSync, rmSync, write } from 'node:fs';
import { promisify } from 'node:util';

const writeAsync = promisify(write);

/** A file that one command's output is appended to. Disposing of it closes it. */
export interface OutputFile extends Disposable {
  /** Writes all of `bytes`. @throws Error of the system, such as a full disk */
  append(bytes: Uint8Array): Promise<void>;
  remove(): void;
}

/** Makes the file, readable for this user alone. @throws Error when it exists or cannot be made */
export function createOutputFile(path: string): OutputFile {
  const descriptor = openSync(path, 'wx', 0o600);
  return {
    async append(bytes) {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await writeAsync(descriptor, bytes, written);
        written += bytesWritten;
      }
    },
    remove: () => rmSync(path, { force: true }),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
