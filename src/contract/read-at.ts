import type { FileHandle } from 'node:fs/promises';

/** The bytes of a file from there on, fewer where it ends before. @throws Error of the system */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for (let bytesRead = -1; bytesRead !== 0 && filled < length; filled += bytesRead) {
    ({ bytesRead } = await file.read(bytes, filled, length - filled, position + filled));
  }
  return bytes.subarray(0, filled);
}
