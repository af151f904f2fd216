import { join, relative, sep } from 'node:path';

/**
 * A path that a search printed, as the model gets it: relative to the session's directory when it is inside, else absolute.
 * A name with control characters is shown quoted, so that it cannot pass for another line.
 * @param found relative to `directory`, with or without a leading `./`
 */
export function showPath(found: string, from: { directory: string; cwd: string }): string {
  const path = join(from.directory, found);
  const short = relative(from.cwd, path);
  const shown = short === '..' || short.startsWith(`..${sep}`) ? path : short;
  return /\p{Cc}/u.test(shown) ? JSON.stringify(shown) : shown;
}
