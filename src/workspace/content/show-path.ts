import { join, relative } from 'node:path';
import { isWithin } from '../../contract/index.ts';

/**
 * An absolute path as the model gets it: relative to the session's directory when it is inside, else absolute.
 * A name with control characters is shown quoted, so that it cannot pass for another line.
 */
export function shownPath(path: string, cwd: string): string {
  const shown = isWithin(cwd, path) ? relative(cwd, path) || '.' : path;
  return /\p{Cc}/u.test(shown) ? JSON.stringify(shown) : shown;
}

/**
 * A path that a search printed, shown in the same way.
 * @param found relative to `directory`, with or without a leading `./`
 */
export function showPath(found: string, from: { directory: string; cwd: string }): string {
  return shownPath(join(from.directory, found), from.cwd);
}
