// What an object schema says of its parameters, in a form that can be joined with another one's. Joining may allow more than
// the two together did, never less; only a parameter that one of two alternatives names is told as that one has it.
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../contract/index.ts';
import { isSchema } from './schema-parts.ts';

export interface Fields {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  readonly patterns: ReadonlyMap<string, unknown>;
  /** Of parameters without a schema of their own: `true` allows any. */
  readonly additional: unknown;
  /** Whether `properties` and `patterns` are all that `unevaluatedProperties` counts as known. */
  readonly isWhole: boolean;
  /** Everything else. */
  readonly rest: JsonSchema;
}

/** Allows any object. */
export const OPEN: Fields = { properties: new Map(), required: new Set(), patterns: new Map(), additional: true, isWhole: false, rest: {} };

/** Keywords that are read in another way, or only mean something together with one that is. */
const FIELDS = ['type', 'properties', 'required', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];
const ELSEWHERE = ['$defs', 'definitions', '$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];
/** Keywords that make parameters known which are not among the fields. */
const KNOWS_MORE = ['$dynamicRef', 'dependencies', 'dependentSchemas', 'if'];
const NOT_REST = new Set([...FIELDS, ...ELSEWHERE]);

/** What the schema itself says, without its references, unions and conjunctions. */
export function fieldsOf(schema: JsonSchema): Fields {
  const { properties, required, patternProperties, additionalProperties = true } = schema;
  const knowsAll = ['additionalProperties', 'unevaluatedProperties'].some((key) => (schema[key] ?? false) !== false);
  const isRest = (key: string): boolean => !NOT_REST.has(key) && ('if' in schema || (key !== 'then' && key !== 'else'));
  return {
    properties: new Map(Object.entries(isSchema(properties) ? properties : {})),
    required: new Set(Array.isArray(required) ? (required as string[]) : []),
    patterns: new Map(Object.entries(isSchema(patternProperties) ? patternProperties : {})),
    additional: additionalProperties,
    isWhole: !knowsAll && !KNOWS_MORE.some((key) => key in schema),
    rest: Object.fromEntries(Object.entries(schema).filter(([key]) => isRest(key))),
  };
}

export function schemaOf({ properties, required, patterns, additional, rest }: Fields): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...(patterns.size > 0 && { patternProperties: Object.fromEntries(patterns) }),
    ...(additional !== true && { additionalProperties: additional }),
    ...rest,
  };
}

/** Objects that fit all of them. */
export function fitAll(all: readonly Fields[]): Fields {
  return {
    properties: joined(all, ({ properties }) => properties, allSchema),
    required: new Set(all.flatMap(({ required }) => [...required])),
    patterns: joined(
      all,
      ({ patterns }) => patterns,
      () => true,
    ),
    additional: allAdditional(all.map(({ additional }) => additional)),
    isWhole: all.every(({ isWhole }) => isWhole),
    rest: uncontested(all.map(({ rest }) => rest)),
  };
}

function allAdditional(all: readonly unknown[]): unknown {
  if (all.includes(false)) return false;
  const schemas = distinct(all.filter((schema) => schema !== true));
  return schemas.length === 1 ? schemas[0] : true;
}

/** Objects that fit one of them. @param all at least one */
export function fitOne(all: readonly Fields[]): Fields {
  const hasPatterns = all.some(({ patterns }) => patterns.size > 0);
  const [first = OPEN, ...others] = all;
  // The texts of one form are not those of the whole.
  const { title: _, description: __, ...rest } = agreed(all.map((fields) => fields.rest));
  return {
    properties: joined(all, ({ properties }) => properties, oneSchema),
    required: new Set([...first.required].filter((name) => others.every(({ required }) => required.has(name)))),
    patterns: new Map(),
    additional: hasPatterns || all.some(({ additional }) => additional !== false),
    isWhole: !hasPatterns && all.every(({ isWhole }) => isWhole),
    rest,
  };
}

function allSchema(schemas: readonly unknown[]): unknown {
  return { allOf: distinct(schemas.flatMap((schema) => partsOf(schema, 'allOf'))) };
}

function oneSchema(schemas: readonly unknown[]): unknown {
  const lists = schemas.flatMap((schema) => valuesOf(schema) ?? []);
  if (lists.length < schemas.length) return { anyOf: distinct(schemas.flatMap((schema) => partsOf(schema, 'anyOf'))) };
  return { ...agreed(lists.map(({ texts }) => texts)), enum: distinct(lists.flatMap(({ values }) => values)) };
}

/** Of a schema that is just such a list, its parts. */
function partsOf(schema: unknown, key: 'allOf' | 'anyOf'): readonly unknown[] {
  if (!isSchema(schema) || Object.keys(schema).length !== 1) return [schema];
  const parts = schema[key];
  return Array.isArray(parts) ? parts : [schema];
}

/** The values of a schema that lists them and says nothing else but a type and texts. */
function valuesOf(schema: unknown): { values: readonly unknown[]; texts: JsonSchema } | undefined {
  if (!isSchema(schema)) return undefined;
  const { const: only, enum: several, ...texts } = schema;
  if (Object.keys(texts).some((key) => !['type', 'title', 'description'].includes(key))) return undefined;
  if ('const' in schema) return 'enum' in schema ? undefined : { values: [only], texts };
  return Array.isArray(several) ? { values: several, texts } : undefined;
}

/** Schemas by name; `join` makes one of those that differ. */
function joined(
  all: readonly Fields[],
  schemasOf: (fields: Fields) => ReadonlyMap<string, unknown>,
  join: (schemas: readonly unknown[]) => unknown,
): Map<string, unknown> {
  const entries = all.flatMap((fields) => [...schemasOf(fields)]);
  const named = [...Map.groupBy(entries, ([name]) => name)];
  return new Map(
    named.map(([name, found]) => {
      const schemas = distinct(found.map(([, schema]) => schema));
      return [name, schemas.length === 1 ? schemas[0] : join(schemas)];
    }),
  );
}

/** Each once, in time that grows with their length alone. */
function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** What all say alike. */
function agreed([first = {}, ...others]: readonly JsonSchema[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => others.every((other) => key in other && isDeepStrictEqual(other[key], value))),
  );
}

/** What one says and none says otherwise. */
function uncontested(all: readonly JsonSchema[]): JsonSchema {
  const said = Map.groupBy(all.flatMap(Object.entries), ([key]) => key);
  return Object.fromEntries(
    [...said].flatMap(([, [first, ...others]]) =>
      first && others.every(([, value]) => isDeepStrictEqual(value, first[1])) ? [first] : [],
    ),
  );
}
