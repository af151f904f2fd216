// Reading a JSON Schema: which other schemas a node, a member or an element must also satisfy.
import { resolvePointer } from '../../contract/index.ts';
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

/** One that leads nowhere, or elsewhere, allows all. */
function resolveReference(root: Schema, reference: string): unknown {
  const target = resolvePointer(root, reference);
  return target === undefined ? true : target;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
