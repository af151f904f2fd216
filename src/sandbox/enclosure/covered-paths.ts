// What must not be read: each is covered by something that cannot be opened, or by nothing at all.
import { realpathSync, statSync } from 'node:fs';
import type { Mount } from './mount.ts';

/**
 * Links are followed, since it is the content that counts. What is missing needs no cover.
 * @param kind what covers a directory
 */
export function coverPaths(paths: readonly string[], kind: 'denied-directory' | 'hidden-directory'): Mount[] {
  return paths.flatMap((path) => {
    const real = realPath(path);
    if (real === undefined) return [];
    return [{ path: real, kind: statSync(real).isDirectory() ? kind : 'denied-file' }];
  });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}
