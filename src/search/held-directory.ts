// A directory that programs search is held open from its check to the end of the search, and they start in what is held:
// whatever its path leads to meanwhile, they cannot be led out of it.
import { constants, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { FileError } from '../contract/index.ts';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** What the lines below end with where the directory cannot be entered any more. */
export const NOT_ENTERED = 97;

/** Closed by `await using`. */
export interface HeldDirectory extends AsyncDisposable {
  /** Absolute real path, for what is shown. */
  readonly path: string;
  /** Leads this process to what is held. Only Linux has such paths; elsewhere it is the plain path. */
  readonly entrance: string;
  /** As {@link entrance}, for other processes. */
  readonly entranceFromOutside: string;
}

/**
 * @param path absolute real path of a directory that has been confined
 * @throws FileError `changed` when something else stands there by now, `denied`
 */
export async function holdDirectory(path: string): Promise<HeldDirectory> {
  const handle = await open(path, OPEN_DIRECTORY).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EACCES' ? new FileError('denied', `${path} may not be used: permission denied.`) : replaced(path);
  });
  const entrance = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  // Where the kernel says that it is, there is no link on the way to it.
  if (entrance !== path && readlinkSync(entrance) !== path) {
    await handle.close();
    throw replaced(path);
  }
  const entranceFromOutside = entrance.replace('/self/', `/${process.pid}/`);
  return { path, entrance, entranceFromOutside, [Symbol.asyncDispose]: () => handle.close() };
}

/**
 * Lines for a shell: it enters the directory, or ends. Inside a sandbox, where the held directory cannot be reached, the
 * path must lead to the very place all the same.
 * @param quote makes one word of any text
 */
export function enterLines({ path, entranceFromOutside }: HeldDirectory, quote: (word: string) => string): string {
  const enter = [entranceFromOutside, path].map((place) => `cd -P ${quote(place)} 2>/dev/null`).join(' || ');
  return `${enter}\n[ "$PWD" = ${quote(path)} ] || exit ${NOT_ENTERED}\n`;
}

export function replaced(path: string): FileError {
  return new FileError('changed', `${path} was replaced while it was being searched. Try again.`);
}
