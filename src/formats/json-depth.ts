/**
 * Tells whether arrays and objects are nested more than `max` levels deep (`[]` is one level, a bare number none).
 * Walks level by level, so that no depth of input can exhaust the stack.
 */
export function exceedsDepth(value: unknown, max: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === max) return true;
    const below: object[] = [];
    for (const container of level) {
      for (const child of Object.values(container)) if (isContainer(child)) below.push(child);
    }
    level = below;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
