// What an installation without development packages takes on disk, worked out from the lock file and the packages that are here.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fact } from './result.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Blocks of `stat`. */
const BLOCK_BYTES = 512;
/** The package that brings a Node along. */
const NODE_PACKAGE = /^node_modules\/node-/;

export async function installSize(): Promise<Fact[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const wanted = Object.keys(packages).filter((path) => path !== '' && packages[path]?.dev !== true);
  const sizes = await Promise.all(wanted.map(async (path) => ({ path, bytes: await sizeOf(join(ROOT, path)) })));
  const there = sizes.filter(({ bytes }) => bytes > 0);
  const megabytes = (of: (path: string) => boolean): string => {
    const bytes = there.filter(({ path }) => of(path)).reduce((sum, size) => sum + size.bytes, 0);
    return `${Math.round(bytes / 1_000_000)} MB`;
  };
  const isNode = (path: string): boolean => NODE_PACKAGE.test(path);
  return [
    { name: `Installed without development packages (${there.length} packages)`, value: megabytes((path) => !isNode(path)) },
    { name: 'The Node that comes along, as an optional package', value: megabytes(isNode) },
  ];
}

/** Bytes on disk of a package, without those that lie in it; 0 where it is not installed. */
async function sizeOf(directory: string): Promise<number> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !isNested(relative(directory, entry.parentPath)));
    const sizes = await Promise.all(files.map(async (file) => (await lstat(join(file.parentPath, file.name))).blocks * BLOCK_BYTES));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  } catch (error) {
    // An optional package of another platform.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

function isNested(path: string): boolean {
  return path.split(sep).includes('node_modules');
}
