/**
 * What a path in a rule means where it is easily misread: `/` begins at the workspace, not at the disk.
 * @returns `null` where the rule says it itself
 */
export function ruleNote(rule: string): string | null {
  const path = /^(?:Read|Edit)\((\/.*)\)$/.exec(rule)?.[1];
  if (path === undefined || path.startsWith('//')) return null;
  return path === '/**' ? 'all files of the workspace' : 'in the workspace';
}
