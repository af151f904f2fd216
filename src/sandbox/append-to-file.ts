import { write } from 'node:fs';
import { promisify } from 'node:util';

const writeAsync = promisify(write);

/** Writes all of `bytes` at the file's current position. @throws Error of the system when the disk is full or fails */
export async function appendToFile(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await writeAsync(descriptor, bytes, written);
    written += bytesWritten;
  }
}
