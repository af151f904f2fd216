import { FileError, type SessionFiles } from '../../contract/index.ts';
import { digestBytes } from './digest.ts';
import { readBytes } from './read-bytes.ts';

/** A file as it is now. */
export interface WholeFile {
  /** Absolute real path. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly hash: string;
}

/** All of a file that is to be edited. @throws FileError `io` when it has more than `maxBytes`, or as `withFile` does */
export function readWhole(files: SessionFiles, path: string, maxBytes: number): Promise<WholeFile> {
  return files.withFile(path, async (file) => {
    if (file.stats.size > maxBytes) {
      throw new FileError('io', `${path} is larger than ${maxBytes / 1024 / 1024} MiB, too large to edit. Change it with a command.`);
    }
    const bytes = await readBytes(file, maxBytes);
    return { path: file.path, bytes, hash: digestBytes(bytes) };
  });
}
