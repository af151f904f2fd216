// What an object schema says of its parameters, in a form that can be joined with another one's. Joining may allow more than
// the two together did, never less; only a parameter that one of two alternatives names is told as that one has it.
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../contract/index.ts';
import { isSchema } from './schema-parts.ts';

export interface Fields {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  readonly patterns: ReadonlyMap<string, unknown>;
  /** Of parameters without a schema of their own: `true` allows any. */
  readonly additional: unknown;
  /** Everything else. */
  readonly rest: JsonSchema;
}

/** Allows any object. */
export const OPEN: Fields = { properties: new Map(), required: new Set(), patterns: new Map(), additional: true, rest: {} };

/** Keywords that are read in another way, or only mean something together with one that is. */
const FIELDS = ['type', 'properties', 'required', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];
const ELSEWHERE = ['$defs', 'definitions', '$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];
const NOT_REST = new Set([...FIELDS, ...ELSEWHERE]);

/** What the schema itself says, without its references, unions and conjunctions. */
export function fieldsOf(schema: JsonSchema): Fields {
  const { properties, required, patternProperties, additionalProperties = true } = schema;
  const isRest = (key: string): boolean => !NOT_REST.has(key) && ('if' in schema || (key !== 'then' && key !== 'else'));
  return {
    properties: new Map(Object.entries(isSchema(properties) ? properties : {})),
    required: new Set(Array.isArray(required) ? (required as string[]) : []),
    patterns: new Map(Object.entries(isSchema(patternProperties) ? patternProperties : {})),
    additional: additionalProperties,
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

/** Objects that fit both. */
export function bothFields(left: Fields, right: Fields): Fields {
  return {
    properties: joined(left.properties, right.properties, bothSchema),
    required: new Set([...left.required, ...right.required]),
    patterns: joined(left.patterns, right.patterns, () => true),
    additional: bothAdditional(left.additional, right.additional),
    rest: { ...agreed(left.rest, right.rest), ...onlyIn(left.rest, right.rest), ...onlyIn(right.rest, left.rest) },
  };
}

function bothAdditional(left: unknown, right: unknown): unknown {
  if (left === false || right === false) return false;
  if (left === true || isDeepStrictEqual(left, right)) return right;
  return right === true ? left : true;
}

/** Objects that fit one or the other. */
export function eitherFields(left: Fields, right: Fields): Fields {
  const patterns = left.patterns.size + right.patterns.size;
  const closed = left.additional === false && right.additional === false && patterns === 0;
  return {
    properties: joined(left.properties, right.properties, eitherSchema),
    required: new Set([...left.required].filter((name) => right.required.has(name))),
    patterns: new Map(),
    additional: !closed,
    // The texts of one form are not those of the whole.
    rest: Object.fromEntries(Object.entries(agreed(left.rest, right.rest)).filter(([key]) => key !== 'title' && key !== 'description')),
  };
}

function bothSchema(left: unknown, right: unknown): unknown {
  return { allOf: [...partsOf(left, 'allOf'), right] };
}

function eitherSchema(left: unknown, right: unknown): unknown {
  const [one, other] = [valuesOf(left), valuesOf(right)];
  if (one && other) {
    const values = new Map([...one.values, ...other.values].map((value) => [JSON.stringify(value), value]));
    return { ...agreed(one.texts, other.texts), enum: [...values.values()] };
  }
  const known = partsOf(left, 'anyOf');
  const more = partsOf(right, 'anyOf').filter((part) => !known.some((same) => isDeepStrictEqual(same, part)));
  return { anyOf: [...known, ...more] };
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

function joined(
  left: ReadonlyMap<string, unknown>,
  right: ReadonlyMap<string, unknown>,
  join: (one: unknown, other: unknown) => unknown,
): Map<string, unknown> {
  const all = new Map(left);
  for (const [key, schema] of right) {
    const other = all.get(key);
    all.set(key, !all.has(key) || isDeepStrictEqual(other, schema) ? schema : join(other, schema));
  }
  return all;
}

/** What both say alike. */
function agreed(left: JsonSchema, right: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(left).filter(([key, value]) => key in right && isDeepStrictEqual(value, right[key])));
}

function onlyIn(one: JsonSchema, other: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(one).filter(([key]) => !(key in other)));
}
