// Files that say what a search leaves out. ripgrep looks for them in every directory that it enters, and in all above.
import { dirname, join } from 'node:path';

export const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore', '.rgignore'];
export const EXCLUDE_FILE = '.git/info/exclude';

/** No workspace is near as deep. */
const MAX_DEPTH = 64;

/** Those above a path. */
export function ignoreFilesAbove(path: string): string[] {
  return ancestors(path).flatMap((folder) => [...IGNORE_FILES, EXCLUDE_FILE].map((name) => join(folder, name)));
}

/** What a search of a path looks at: all below it, and what says above it what to leave out. @param path absolute */
export function searchedPaths(path: string): string[] {
  return path.split('/').length > MAX_DEPTH ? ['/'] : [path, ...ignoreFilesAbove(path)];
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestors(parent)];
}
