import { resolve } from 'node:path';
import { FileError, type SessionFiles } from '../contract/index.ts';
import { WILD } from './split-glob.ts';

/**
 * What to write instead of a glob that is just the name of a directory, which no file can match; `null` when it is none.
 * @param base absolute path that the glob starts from
 */
export async function directoryHint(glob: string, base: string, files: SessionFiles): Promise<string | null> {
  if (WILD.test(glob) || glob.endsWith('/')) return null;
  try {
    const { kind } = await files.confine(resolve(base, glob));
    return kind === 'directory' ? `${glob} is a directory: use ${glob}/** for the files in it.` : null;
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
