import { FileError } from '../../contract/index.ts';

/** A file by its absolute path, and as the model is told of it. */
export interface NamedFile {
  readonly path: string;
  readonly shown: string;
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
