import { access, constants } from 'node:fs/promises';

/** The first of these files that is there and that this process may run. @param paths absolute */
export async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not there, or not ours to run: the next one may be.
    }
  }
  return undefined;
}
