import { FileError, type CallContext } from '../../contract/index.ts';
import { shownPath } from './show-path.ts';

/** A file by its absolute path, and as the model is told of it. */
export interface NamedFile {
  readonly path: string;
  readonly shown: string;
}

/** The file that a call names. */
export function namedFile(path: string, { files, state }: Pick<CallContext, 'files' | 'state'>): NamedFile {
  const absolute = files.absolute(path, state.cwd);
  return { path: absolute, shown: shownPath(absolute, state.cwd) };
}

/** Does something with a file; an error then speaks of it as `shown`. @throws FileError */
export async function speakOf<T>({ path, shown }: NamedFile, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const words = error.message.replaceAll(path, () => shown);
    throw new FileError(error.code, words);
  }
}
