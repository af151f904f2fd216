/** Values in one JSON text beyond which it is refused: each costs time in every step that looks at it. */
export const MAX_JSON_NODES = 200_000;

/** Tells whether arrays and objects are nested more than `max` levels deep (`[]` is one level, a bare number none), or hold too many values. */
export function exceedsDepth(value: unknown, max: number): boolean {
  return measure(value, max) !== null;
}

/**
 * What is wrong with the size of a parsed JSON value, if anything; stops looking as soon as it knows. Walks level by
 * level, so that no depth of input can exhaust the stack.
 */
export function measure(value: unknown, maxDepth: number): 'deep' | 'wide' | null {
  let level = [value].filter(isContainer);
  let nodes = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === maxDepth) return 'deep';
    const below: object[] = [];
    for (const container of level) {
      const children = Object.values(container);
      nodes += children.length;
      if (nodes > MAX_JSON_NODES) return 'wide';
      for (const child of children) if (isContainer(child)) below.push(child);
    }
    level = below;
  }
  return null;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
