/**
 * True when `path` is `root` or lies below it. Both absolute, `root` normalised; a path that still has `..` in it lies
 * nowhere, since where it leads cannot be told from its text.
 */
export function isWithin(root: string, path: string): boolean {
  const below = root.endsWith('/') ? root : `${root}/`;
  return path === root || (path.startsWith(below) && !path.split('/').includes('..'));
}

/** Without the paths that lie in another one. */
export function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
}
