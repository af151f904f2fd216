import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { JsonSchema } from '../../src/contract/index.ts';
import { anthropicSchema, exportSchema } from '../../src/toolbox/export-schema.ts';
import { inputJsonSchema } from '../../src/toolbox/input-schema.ts';
import { inputValidator } from '../../src/toolbox/input-validator.ts';
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

  test('is told in bounded words, however many forms it has', () => {
    const anyOf = Array.from({ length: 500 }, (_, at) => ({ type: 'object', properties: { [`parameter_${at}`]: { type: 'string' } } }));
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
