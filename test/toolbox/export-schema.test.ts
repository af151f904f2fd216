import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { JsonSchema } from '../../src/contract/index.ts';
import { anthropicSchema, exportSchema } from '../../src/toolbox/schemas/export-schema.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { mergedForms } from '../../src/toolbox/schemas/merged-forms.ts';
import { sampleTool } from './sample-tools.ts';

function toolWith(inputSchema: unknown): ReturnType<typeof sampleTool> {
  return sampleTool('Sample', { inputSchema: inputSchema as JsonSchema });
}

const accepts = (inputSchema: unknown, input: unknown): boolean => inputValidator(toolWith(inputSchema))(input).ok;

describe('A schema whose root models’ APIs refuse', () => {
  test('and that is a choice by kind, is told as one object with all parameters, and its forms in words', () => {
    const shape = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('circle'), r: z.number(), fill: z.string().optional() }),
      z.strictObject({ kind: z.literal('dot') }),
    ]);
    const { schema, notes } = exportSchema(toolWith(shape));
    assert.deepEqual(schema, {
      type: 'object',
      properties: { kind: { type: 'string', enum: ['circle', 'dot'] }, r: { type: 'number' }, fill: { type: 'string' } },
      required: ['kind'],
      additionalProperties: false,
    });
    assert.match(notes.join(), /\{kind: "circle", r, fill\?\} or \{kind: "dot"\}/);
    assert.equal(accepts(shape, { kind: 'dot', r: 1 }), false);
  });

  test('and that asks for one of several parameters, keeps them all optional', () => {
    const oneOf = {
      type: 'object',
      properties: { id: { type: 'string' }, title: { type: 'string' }, body: { type: 'string' } },
      required: ['id'],
      anyOf: [{ required: ['title'] }, { required: ['body'] }],
      additionalProperties: false,
    };
    const { anyOf: _, ...plain } = oneOf;
    const { schema, notes } = exportSchema(toolWith(oneOf));
    assert.deepEqual(schema, plain);
    assert.match(notes.join(), /\{title\} or \{body\}/);
    assert.equal(accepts(oneOf, { id: 'x' }), false);
  });

  test('and that is a reference, is what the reference names, and may hold itself', () => {
    const node = {
      type: 'object',
      properties: { v: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/Node' } } },
      required: ['v'],
    };
    const { schema, notes } = exportSchema(toolWith({ $ref: '#/$defs/Node', $defs: { Node: node } }));
    assert.deepEqual(schema, { ...node, $defs: { Node: node } });
    assert.deepEqual(notes, []);
  });

  test('keeps what inner parts refer to in it as it was written', () => {
    const forms = [
      { type: 'object', properties: { and: { type: 'array', items: { $ref: '#' } } }, required: ['and'] },
      { type: 'object', properties: { is: { $ref: '#/oneOf/0/properties/and' } } },
    ];
    const { schema } = exportSchema(toolWith({ oneOf: forms, $defs: { root: { type: 'string' } } }));
    const { properties, $defs } = schema as { properties: Record<string, JsonSchema>; $defs: Record<string, JsonSchema> };
    assert.deepEqual(properties['and'], { type: 'array', items: { $ref: '#/$defs/root_' } });
    assert.deepEqual(properties['is'], { $ref: '#/$defs/root_/oneOf/0/properties/and' });
    assert.deepEqual($defs['root'], { type: 'string' });
    assert.deepEqual($defs['root_']?.['oneOf'], [
      { ...forms[0], properties: { and: { type: 'array', items: { $ref: '#/$defs/root_' } } } },
      { ...forms[1], properties: { is: { $ref: '#/$defs/root_/oneOf/0/properties/and' } } },
    ]);
  });

  test('and joins several shapes, has the parameters of all', () => {
    const { schema } = exportSchema(
      toolWith({
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { a: { minLength: 1 }, b: {} }, required: ['b'] },
        ],
      }),
    );
    assert.deepEqual(schema, {
      type: 'object',
      properties: { a: { allOf: [{ type: 'string' }, { minLength: 1 }] }, b: {} },
      required: ['a', 'b'],
    });
  });

  test('and closes what several shapes leave open, is closed as well', () => {
    const [a, b] = [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
    ];
    const joined = {
      type: 'object',
      properties: { ...a.properties, ...b.properties },
      required: ['b'],
      additionalProperties: false,
    };
    const closed = { allOf: [{ $ref: '#/$defs/a' }, b], unevaluatedProperties: false, $defs: { a } };
    assert.deepEqual(exportSchema(toolWith(closed)).schema, { ...joined, $defs: { a } });
    assert.equal(accepts(closed, { a: 'x', b: 1, c: 1 }), false);
    const { required: _, ...either } = joined;
    assert.deepEqual(exportSchema(toolWith({ anyOf: [a, b], unevaluatedProperties: false })).schema, either);
  });

  for (const [what, more] of Object.entries({
    'of any name': { additionalProperties: { type: 'string' } },
    'of any name by what is not evaluated': { unevaluatedProperties: { type: 'string' } },
    'where another one is there': { dependentSchemas: { a: { properties: { z: {} } } } },
    'in some cases': { if: { required: ['y'] }, else: { properties: { z: {} } } },
    'of a pattern in one of its forms': { anyOf: [{ patternProperties: { '^z': {} } }, { required: ['b'] }] },
  })) {
    test(`and closes what takes a parameter ${what}, is told as open: that one is taken`, () => {
      const schema = { type: 'object', allOf: [{ properties: { a: {} }, ...more }], unevaluatedProperties: false };
      assert.equal(accepts(schema, { a: 'x', z: 'x' }), true);
      assert.notEqual(exportSchema(toolWith(schema)).schema['additionalProperties'], false);
    });
  }

  test('tells one list of values where each form has some', () => {
    const form = (value: unknown): unknown => ({ type: 'object', properties: { k: value } });
    const { schema } = exportSchema(
      toolWith({ anyOf: [{ const: 1 }, { enum: [2, 1] }, { const: 3, type: 'number' }].map(form).concat(form({ const: 3 })) }),
    );
    assert.deepEqual(schema['properties'], { k: { enum: [1, 2, 3] } });
    const mixed = exportSchema(
      toolWith({ anyOf: [{ const: 1 }, { type: 'string' }, { anyOf: [{ type: 'string' }, { type: 'null' }] }].map(form) }),
    );
    assert.deepEqual(mixed.schema['properties'], { k: { anyOf: [{ const: 1 }, { type: 'string' }, { type: 'null' }] } });
  });

  test('is looked at in proportion to its forms, each of which is compared with none', () => {
    for (const union of ['anyOf', 'allOf']) {
      let looks = 0;
      const forms = Array.from({ length: 300 }, (_, at) => ({
        properties: {
          k: {
            get minLength() {
              looks += 1;
              return at;
            },
          },
        },
      }));
      mergedForms({ type: 'object', [union]: forms });
      assert.ok(looks <= 10 * forms.length, `${looks} looks at ${forms.length} forms`);
    }
  });

  test('is told in bounded words, however many forms it has', () => {
    const anyOf = Array.from({ length: 350 }, (_, at) => ({ type: 'object', properties: { [`parameter_${at}`]: { type: 'string' } } }));
    const [note = ''] = exportSchema(toolWith({ anyOf })).notes;
    assert.ok(note.length < 2_000);
    assert.match(note, /or \d+ more\.$/);
  });

  test('and refers to itself for ever, ends', () => {
    const { schema } = exportSchema(
      toolWith({ $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } }),
    );
    assert.equal(schema['type'], 'object');
    assert.ok(JSON.stringify(schema).length < 2_000);
  });
});

describe('A schema of an older draft', () => {
  test('is told in the words of the newest, which all models’ APIs take', () => {
    const { schema } = exportSchema(
      toolWith({
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'https://example.com/tool.json',
        type: ['object', 'null'],
        properties: {
          pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
          rest: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } },
          old: { id: '#old', type: 'number', minimum: 0, exclusiveMinimum: true },
          maybe: { type: 'string', enum: ['x'], nullable: true },
          same: { $ref: 'https://example.com/tool.json#/definitions/d' },
        },
        definitions: { d: { type: 'boolean' } },
      }),
    );
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: {}, maxItems: 2 },
        rest: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
        old: { type: 'number', exclusiveMinimum: 0 },
        maybe: { type: ['string', 'null'], enum: ['x', null] },
        same: { $ref: '#/definitions/d' },
      },
      definitions: { d: { type: 'boolean' } },
    });
  });

  test('says what its words mean, not what they are called', () => {
    const written = {
      type: 'object',
      properties: { id: { type: 'string' }, items: { type: 'string' }, nullable: { const: { nullable: true } } },
    };
    assert.deepEqual(inputJsonSchema(toolWith(written)), written);
  });
});

describe('What single APIs refuse', () => {
  test('A list always says what it holds', () => {
    const { schema } = exportSchema(toolWith({ type: 'object', properties: { a: { type: 'array' }, b: { type: ['string', 'array'] } } }));
    assert.deepEqual(schema['properties'], { a: { type: 'array', items: {} }, b: { type: ['string', 'array'], items: {} } });
  });

  test('A list of a set length says so where only what is not evaluated is told of', () => {
    const pair = { type: 'array', prefixItems: [{}], unevaluatedItems: false };
    const schema = { type: 'object', properties: { pair, rest: { ...pair, unevaluatedItems: { type: 'string' } } } };
    assert.deepEqual(exportSchema(toolWith(schema)).schema['properties'], {
      pair: { ...pair, items: {}, maxItems: 1 },
      rest: { ...pair, unevaluatedItems: { type: 'string' }, items: { type: 'string' } },
    });
    assert.equal(accepts(schema, { pair: ['x', 1] }), false);
    assert.equal(accepts(schema, { pair: ['x'] }), true);
    const open = { ...pair, allOf: [{ items: {} }] };
    const { schema: exported } = exportSchema(toolWith({ type: 'object', properties: { open } }));
    assert.deepEqual(exported['properties'], { open: { ...open, allOf: [{ items: {} }], items: {} } });
    assert.equal(accepts({ properties: { open } }, { open: ['x', 1] }), true);
  });

  test('No word of a validator of ours is told', () => {
    const schema = { $async: true, type: 'object', properties: { $async: { $async: true, type: 'string' } } };
    assert.deepEqual(exportSchema(toolWith(schema)).schema, { type: 'object', properties: { $async: { type: 'string' } } });
  });

  test('Every parameter has an object as its schema', () => {
    const { schema } = exportSchema(toolWith({ type: 'object', properties: { any: true, none: false } }));
    assert.deepEqual(schema['properties'], { any: {}, none: { not: {} } });
  });

  test('A parameter whose name Anthropic refuses is told in words, and taken', () => {
    const written = {
      type: 'object',
      properties: { $top: { type: 'integer' }, name: { type: 'string' } },
      required: ['$top', 'name'],
      additionalProperties: false,
    };
    const { schema, notes } = anthropicSchema(toolWith(written));
    assert.deepEqual(schema, { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] });
    assert.match(notes.join(), /"\$top": \{"type":"integer"\}/);
    assert.deepEqual(exportSchema(toolWith(written)).schema, written);
    assert.equal(accepts(written, { $top: 1, name: 'x' }), true);
  });
});
