// Random schemas and inputs for them, from so few words that a good part of the inputs fits.
import fc from 'fast-check';
import type { z } from 'zod';
import type { JsonSchema } from '../../src/contract/index.ts';

const KEYS = ['a', 'b', 'c'];
const VALUES = ['', 'x', 'xyz', 0, 1, 7, 2.5, true, null];

/** Inputs, objects most of the time. */
export const inputs: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(...VALUES),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 3 }),
})).object;

const limits = (low: string, high: string): fc.Arbitrary<JsonSchema> =>
  fc.oneof(fc.constant({}), fc.record({ [low]: fc.nat(2) }), fc.record({ [low]: fc.nat(1), [high]: fc.integer({ min: 1, max: 3 }) }));
const typed = (type: string, low: string, high: string): fc.Arbitrary<JsonSchema> => limits(low, high).map((rest) => ({ type, ...rest }));

/** Plain JSON Schemas of every draft, without the keywords that are not enforced. `#/$defs/node` is there in all. */
const parts = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    typed('string', 'minLength', 'maxLength'),
    typed('integer', 'minimum', 'maximum'),
    typed('number', 'minimum', 'exclusiveMaximum'),
    fc.constantFrom<JsonSchema>({}, { type: 'boolean' }, { type: ['string', 'null'] }, { type: 'string', nullable: true }),
    fc.constantFrom<JsonSchema>({ type: 'number', minimum: 1, exclusiveMinimum: true }, { type: 'array' }),
    fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    fc.constantFrom(...VALUES).map((value) => ({ const: value })),
    fc.tuple(tie('schema'), limits('minItems', 'maxItems')).map(([items, rest]) => ({ type: 'array', items, ...rest })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((items) => ({ type: 'array', items, additionalItems: false })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((prefixItems) => ({ type: 'array', prefixItems, items: false })),
    fc
      .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), fc.array(tie('schema'), { minLength: 1, maxLength: 2 }))
      .map(([key, branches]) => ({ [key]: branches })),
    tie('schema').map((not) => ({ not })),
    fc.constant({ $ref: '#/$defs/node' }),
    tie('object'),
  ),
  object: fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...KEYS), fc.oneof({ weight: 9, arbitrary: tie('schema') }, fc.boolean()), { maxKeys: 3 }),
      required: fc.subarray(KEYS, { maxLength: 1 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    })
    .map((rest) => ({ type: 'object', ...rest })),
}));

const DEFINITIONS = {
  $defs: { node: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
};
export const objectSchemas: fc.Arbitrary<JsonSchema> = parts.object.map((schema) => ({ ...schema, ...DEFINITIONS }));

/** Objects whose root is a choice, a conjunction or a reference; each form names all its parameters. */
export const unionSchemas: fc.Arbitrary<JsonSchema> = fc
  .tuple(
    fc.constantFrom('anyOf', 'oneOf', 'allOf'),
    fc.array(
      parts.object.map((form) => ({ ...form, additionalProperties: false })),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom<JsonSchema>({}, { type: 'object', required: ['a'] }, { $ref: '#/$defs/node' }, { not: { required: ['c'] } }),
  )
  .map(([key, forms, base]) => ({ ...base, [key]: forms, ...DEFINITIONS }));

const openForms = fc.array(
  parts.object.map((closed) => {
    const { additionalProperties: _, ...form } = closed;
    return form;
  }),
  { minLength: 1, maxLength: 3 },
);

/** Objects whose root closes several shapes as a whole: a parameter that some of them names is known, and no other. */
export const closedUnions: fc.Arbitrary<JsonSchema> = fc
  .oneof(
    openForms.map((anyOf): JsonSchema => ({ anyOf })),
    openForms.map((oneOf): JsonSchema => ({ oneOf })),
    fc
      .tuple(openForms, fc.constantFrom<JsonSchema>({}, { additionalProperties: true }, { $ref: '#/$defs/node' }))
      .map(([allOf, base]): JsonSchema => ({ allOf: [...allOf, base] })),
  )
  .map((schema) => ({ ...schema, unevaluatedProperties: false, ...DEFINITIONS }));

/** Makes one schema with Zod 4 or, as both have these functions, with `zod/v3`. */
export type MakeZod = (zod: typeof z) => z.ZodType;

const zods = fc.letrec<{ schema: MakeZod; object: MakeZod }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(fc.nat(2), fc.integer({ min: 2, max: 3 })).map(
      ([low, high]): MakeZod =>
        (zod) =>
          zod.string().min(low).max(high),
    ),
    fc.nat(2).map(
      (low): MakeZod =>
        (zod) =>
          zod.number().int().min(low),
    ),
    fc.nat(2).map(
      (high): MakeZod =>
        (zod) =>
          zod.number().lt(high),
    ),
    fc.constantFrom<MakeZod>(
      (zod) => zod.boolean(),
      (zod) => zod.unknown().optional(),
      (zod) => zod.enum(['x', 'xyz']),
      (zod) => zod.literal(7),
      (zod) => zod.null(),
    ),
    tie('schema').map(
      (inner): MakeZod =>
        (zod) =>
          zod.array(inner(zod)).max(2),
    ),
    tie('schema').map(
      (inner): MakeZod =>
        (zod) =>
          zod.tuple([zod.string(), inner(zod)]),
    ),
    tie('schema').map(
      (inner): MakeZod =>
        (zod) =>
          zod.record(zod.string(), inner(zod)),
    ),
    tie('schema').map(
      (inner): MakeZod =>
        (zod) =>
          inner(zod).nullable(),
    ),
    fc.tuple(tie('schema'), tie('schema')).map(
      ([one, other]): MakeZod =>
        (zod) =>
          zod.union([one(zod), other(zod)]),
    ),
    tie('object'),
  ),
  object: fc
    .tuple(fc.dictionary(fc.constantFrom(...KEYS), fc.tuple(tie('schema'), fc.boolean()), { maxKeys: 3 }), fc.boolean())
    .map(([fields, strict]): MakeZod => (zod) => {
      const shape = Object.entries(fields).map(([name, [make, optional]]) => [name, optional ? make(zod).optional() : make(zod)]);
      const object = zod.object(Object.fromEntries(shape) as z.ZodRawShape);
      return strict ? object.strict() : object;
    }),
}));
export const zodObjects: fc.Arbitrary<MakeZod> = zods.object;
