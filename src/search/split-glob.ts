import { resolve } from 'node:path';

/** What makes a glob more than a path. */
export const WILD = /[*?[\]{}\\]/;

/** A directory to walk, and the glob that paths under it must match. */
export interface GlobTarget {
  readonly directory: string;
  readonly glob: string;
}

/**
 * Moves the leading plain directories of a glob into the directory, so that nothing beside them is walked: `src/a/**` under
 * `/w` is `**` under `/w/src/a`. A glob without a slash means that name at any depth; a trailing slash means all beneath.
 * @param base absolute path that a relative glob starts from
 * @returns `null` when the glob steps back with `..` behind a wildcard, where it could not be confined
 */
export function splitGlob(glob: string, base: string): GlobTarget | null {
  const segments = glob.split('/');
  if (segments.length === 1) return glob === '..' ? null : { directory: base, glob: `**/${glob}` };
  const wild = segments.findIndex((segment) => WILD.test(segment));
  const start = wild === -1 ? segments.length - 1 : wild;
  const rest = segments.slice(start);
  if (rest.includes('..')) return null;
  const plain = segments.slice(0, start).join('/');
  const directory = glob.startsWith('/') ? resolve('/', plain) : resolve(base, plain);
  return { directory, glob: rest.join('/').replace(/(^|\/)$/, '$1**') };
}
