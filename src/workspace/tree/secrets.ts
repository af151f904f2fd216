// Files of the service itself (its keys, its settings) may lie in a directory that an operator gives to sessions: they
// are known by their path, and by what they are where somebody made another name for them.
import { realpath, stat } from 'node:fs/promises';
import { FileError, isWithin } from '../../contract/index.ts';

interface Identity {
  readonly dev: number;
  readonly ino: number;
}

export interface Secrets {
  isSecret(path: string, stats: Identity | null): boolean;
  /** @throws FileError `denied` */
  assertNone(path: string, stats: Identity | null): void;
  /** @throws FileError `denied` for a directory that holds one */
  assertNoneBelow(directory: string): void;
}

/** Looks where they are now. @param files absolute paths */
export async function findSecrets(files: readonly string[]): Promise<Secrets> {
  const paths = new Set(files);
  const identities: Identity[] = [];
  for (const file of files) {
    try {
      const real = await realpath(file);
      paths.add(real);
      identities.push(await stat(real));
    } catch {
      // What is not there now is still known by its path, so that nobody makes it.
    }
  }
  const isSecret: Secrets['isSecret'] = (path, stats) =>
    paths.has(path) || identities.some(({ dev, ino }) => stats?.ino === ino && stats.dev === dev);
  return {
    isSecret,
    assertNone(path, stats) {
      if (isSecret(path, stats)) throw denied(path);
    },
    assertNoneBelow(directory) {
      if ([...paths].some((path) => isWithin(directory, path))) throw denied(directory);
    },
  };
}

function denied(path: string): FileError {
  return new FileError('denied', `${path} belongs to the service and is not for sessions.`);
}
