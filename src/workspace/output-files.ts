import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { OutputFiles } from '../contract/index.ts';
import { entryPath, openDirectory } from './confined-directory.ts';

/**
 * Whole outputs of calls, in one private directory of the session.
 * @param directory absolute real path; it must be there, and be no link by the time something is written
 */
export function createOutputFiles(directory: string): OutputFiles {
  return {
    pathFor: (turnId, index) => `${directory}/${turnId.replaceAll(/[^A-Za-z0-9_-]/g, '_')}-${index}.txt`,
    async write(path, text) {
      using outputs = await openDirectory(directory, [directory], path);
      const bytes = Buffer.from(text);
      await writeFile(entryPath(outputs, basename(path)), bytes, { mode: 0o600, flag: 'wx' });
      return bytes.length;
    },
  };
}
