// Reading a JSON Schema: which other schemas a node, a member or an element must also satisfy.
import { isObject, type Schema } from './coerce-bounded.ts';

/** Schemas that hold together with the node's own keywords: what `$ref` names, and `allOf`. */
export function conjuncts(root: Schema, schema: Schema): unknown[] {
  const all = list(schema['allOf']);
  return typeof schema['$ref'] === 'string' ? [resolveReference(root, schema['$ref']), ...all] : all;
}

/** The node's lists of alternatives. */
export function unions(schema: Schema): unknown[][] {
  return [list(schema['anyOf']), list(schema['oneOf'])].filter((branches) => branches.length > 0);
}

/** The schema of a list's element; a tuple's own where it has one. */
export function elementSchema(schema: Schema, index: number): unknown {
  const { prefixItems, items, additionalItems } = schema;
  const tuple = list(Array.isArray(items) ? items : prefixItems);
  if (index < tuple.length) return tuple[index];
  return (Array.isArray(items) ? additionalItems : items) ?? true;
}

/** The schema of an object's member. Patterns are a schema author's regular expressions and are never run: they allow all. */
export function memberSchema(schema: Schema, key: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return true;
  return additionalProperties ?? true;
}

/** What a pointer into the same document names; one that leads nowhere, or elsewhere, allows all. */
function resolveReference(root: Schema, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return true;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = unescapePointer(part);
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return true;
    target = (target as Record<string, unknown>)[key];
  }
  return target;
}

function unescapePointer(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A stray percent sign is part of the name.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
