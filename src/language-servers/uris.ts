import { fileURLToPath, pathToFileURL } from 'node:url';

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/** The absolute path that a URI names, however it is written; `undefined` for what is no file of this machine. */
export function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    // Another scheme, such as that of what lies in an archive, or no URI at all.
    return undefined;
  }
}
