// Walking through a JSON Schema: where schemas stand inside of schemas, and what a reference names.
import type { JsonSchema } from '../../contract/index.ts';

const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const NAMED = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
/** Where schemas stand that are only named by references. */
export const DEFINITIONS = ['$defs', 'definitions'];

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy in which `change` was applied to every schema, the innermost first. Schemas that are just `true` or `false` stay. */
export function rewriteSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inner = (value: unknown): unknown => (isSchema(value) ? rewriteSchema(value, change) : value);
  const copy: Record<string, unknown> = { ...schema };
  for (const key of ONE) if (isSchema(copy[key])) copy[key] = inner(copy[key]);
  for (const key of LISTS) if (Array.isArray(copy[key])) copy[key] = copy[key].map(inner);
  for (const key of NAMED) {
    const named = copy[key];
    if (isSchema(named)) copy[key] = Object.fromEntries(Object.entries(named).map(([name, value]) => [name, inner(value)]));
  }
  return change(copy);
}

/** The schemas that stand in a schema, each with the keyword under which it does. */
export function innerSchemas(schema: JsonSchema): [keyword: string, inner: JsonSchema][] {
  const under = (keys: readonly string[], valuesOf: (value: unknown) => readonly unknown[]): [string, JsonSchema][] =>
    keys.flatMap((key) =>
      valuesOf(schema[key])
        .filter(isSchema)
        .map((inner): [string, JsonSchema] => [key, inner]),
    );
  return [
    ...under(ONE, (value) => [value]),
    ...under(LISTS, (value) => (Array.isArray(value) ? value : [])),
    ...under(NAMED, (value) => (isSchema(value) ? Object.values(value) : [])),
  ];
}

/** Whether something in it looks at what nothing else has looked at. */
export function hasUnevaluated(schema: JsonSchema): boolean {
  return /"unevaluated(Items|Properties)":/.test(JSON.stringify(schema));
}

/** Every reference in it. */
export function referencesOf(schema: JsonSchema): string[] {
  const found: string[] = [];
  rewriteSchema(schema, (part) => {
    if (typeof part['$ref'] === 'string') found.push(part['$ref']);
    return part;
  });
  return found;
}
