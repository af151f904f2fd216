import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputFiles } from '../contract/index.ts';

/** Whole outputs of calls, in one private directory of the session, which must be there. */
export function createOutputFiles(directory: string): OutputFiles {
  return {
    pathFor: (turnId, index) => join(directory, `${turnId.replaceAll(/[^A-Za-z0-9_-]/g, '_')}-${index}.txt`),
    async write(path, text) {
      const bytes = Buffer.from(text);
      await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
      return bytes.length;
    },
  };
}
