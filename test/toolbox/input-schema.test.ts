import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { JsonSchema, Tool } from '../../src/contract/index.ts';
import { ToolDefinitionError } from '../../src/contract/index.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { loadTools } from '../../src/toolbox/load/load-tools.ts';
import { sampleInputs } from './sample-inputs.ts';
import { sampleTool } from './sample-tools.ts';

/** A tool with a schema of any of the three languages; a plug-in without types may bring `zod/v3`. */
function toolWith(inputSchema: unknown): Tool {
  return sampleTool('Sample', { inputSchema: inputSchema as JsonSchema });
}

describe('The schema that the model sees', () => {
  test('Descriptions of parameters are in it, wherever in the chain they were written', () => {
    const schema = inputJsonSchema(
      toolWith(
        z.object({
          a: z.string().describe('first').optional(),
          b: z.int().optional().describe('second'),
          c: z.array(z.string().describe('third')),
        }),
      ),
    );
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'first' },
        b: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991, description: 'second' },
        c: { type: 'array', items: { type: 'string', description: 'third' } },
      },
      required: ['c'],
    });
  });

  test('A parameter with a default is not required, and a strict object refuses others', () => {
    const schema = inputJsonSchema(toolWith(z.strictObject({ a: z.string().default('x'), b: z.boolean() })));
    assert.deepEqual(schema['required'], ['b']);
    assert.equal(schema['additionalProperties'], false);
  });

  test('A schema with an id of its own still is an object at the root', () => {
    const shared = z.object({ q: z.string() }).meta({ id: 'SharedShape', description: 'shared' });
    const schema = inputJsonSchema(toolWith(z.object({ one: shared, two: shared }).meta({ id: 'RootShape' })));
    assert.equal(schema['type'], 'object');
    assert.ok(!('$ref' in schema) && !('id' in schema) && !('definitions' in schema));
  });

  test('Schemas of zod/v3 and of Zod 4 give the same schema for the shapes that tools use', () => {
    const shapes = [
      [z.strictObject({ a: z.string().min(1).describe('d') }), z3.object({ a: z3.string().min(1).describe('d') }).strict()],
      [
        z.object({ e: z.enum(['x', 'y']).default('x'), n: z.number().nullable() }),
        z3.object({ e: z3.enum(['x', 'y']).default('x'), n: z3.number().nullable() }),
      ],
      [z.object({ u: z.union([z.string(), z.array(z.boolean())]) }), z3.object({ u: z3.union([z3.string(), z3.array(z3.boolean())]) })],
      [z.object({ r: z.record(z.string(), z.number()).optional() }), z3.object({ r: z3.record(z3.number()).optional() })],
    ] as const;
    const samples = [
      {},
      { a: '' },
      { a: 'x' },
      { a: 1 },
      { a: 'x', b: 1 },
      { e: 'x', n: null },
      { e: 'z', n: 1 },
      { n: 1 },
      { u: 'x' },
      { u: [true] },
      { u: [1] },
      { r: { k: 1 } },
      { r: { k: 'v' } },
    ];
    for (const [four, three] of shapes) {
      const [schemaOf4, schemaOf3] = [inputJsonSchema(toolWith(four)), inputJsonSchema(toolWith(three))];
      const [accepts4, accepts3] = [schemaOf4, schemaOf3].map((schema) => new Ajv({ strict: false }).compile(schema));
      assert.ok(accepts3 && accepts4);
      for (const sample of samples) assert.equal(accepts3(sample), accepts4(sample), JSON.stringify([schemaOf3, sample]));
      assert.ok(Object.keys(schemaOf3['properties'] as object).length > 0);
    }
  });

  test('A schema of either version of Zod that holds itself still says what it holds', () => {
    const four: z.ZodType = z.strictObject({ name: z.string(), kids: z.array(z.lazy(() => four)) });
    const three: z3.ZodTypeAny = z3.object({ name: z3.string(), kids: z3.array(z3.lazy(() => three)) }).strict();
    for (const recursive of [four, three]) {
      for (const schema of [recursive, recursive === four ? z.object({ top: four, also: four }) : z3.object({ top: three, also: three })]) {
        const accepts = new Ajv2020({ strict: false }).compile(inputJsonSchema(toolWith(schema)));
        const deep = (name: unknown): unknown => ({ name: 'a', kids: [{ name: 'b', kids: [{ name, kids: [] }] }] });
        const wrap = (input: unknown): unknown => (schema === recursive ? input : { top: input, also: input });
        for (const [name, expected] of [
          ['c', true],
          [7, false],
        ] as const) {
          assert.equal(accepts(wrap(deep(name))), expected);
          assert.equal(inputValidator(toolWith(schema))(wrap(deep(name))).ok, expected);
        }
      }
    }
  });

  test('A JSON Schema stays as it is, without its dialect', () => {
    const given = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { type: 'string', format: 'uri' } },
      $defs: { x: {} },
    };
    const { $schema: _, ...rest } = given;
    assert.deepEqual(inputJsonSchema(toolWith(given)), rest);
  });

  test('A schema that leaves out its type is an object, also when it is a choice of objects', () => {
    assert.deepEqual(inputJsonSchema(toolWith({})), { type: 'object', properties: {} });
    const schema = inputJsonSchema(toolWith(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])));
    assert.equal(schema['type'], 'object');
    assert.equal((schema['anyOf'] as unknown[]).length, 2);
  });

  test('A schema that is no object, or has no JSON form, is refused with an error that names the tool', () => {
    for (const schema of [z.string(), z.array(z.string()), { type: 'array' }, z.object({ at: z.date() })]) {
      assert.throws(
        () => inputJsonSchema(toolWith(schema)),
        (error) => error instanceof ToolDefinitionError && /Sample/.test(error.message),
      );
    }
  });

  test('Every call gets the same object, which cannot be changed', () => {
    const tool = toolWith(z.object({ a: z.string() }));
    assert.equal(inputJsonSchema(tool), inputJsonSchema(tool));
    assert.ok(Object.isFrozen(inputJsonSchema(tool)));
  });
});

describe('What the exported schema accepts, the validator accepts', async () => {
  for (const tool of await loadTools(new URL('../../tools/', import.meta.url))) {
    test(`${tool.name}: the model's schema and the validator agree on every sample`, () => {
      const exported = new Ajv({ strict: false, validateFormats: false }).compile(inputJsonSchema(tool));
      const validate = inputValidator(tool);
      const samples = sampleInputs(inputJsonSchema(tool));
      const accepted = samples.filter((sample) => exported(sample));
      assert.ok(accepted.length > 0 && accepted.length < samples.length);
      for (const sample of samples) {
        assert.equal(validate(sample).ok, exported(sample), JSON.stringify(sample).slice(0, 200));
      }
    });
  }
});
