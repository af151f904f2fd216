import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { JsonSchema } from '../../src/contract/index.ts';
import { schemaFault } from '../../src/toolbox/input/check-schema.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { sampleTool } from './sample-tools.ts';

function faultOf(inputSchema: unknown): string | undefined {
  return schemaFault(sampleTool('Sample', { inputSchema: inputSchema as JsonSchema }));
}

const withPart = (part: unknown): unknown => ({ type: 'object', properties: { part }, $defs: { there: {} } });

describe('The quick look at a stranger’s schema', () => {
  test('takes what can be used, of every draft and language', () => {
    const parts = [
      { type: 'string' },
      { $ref: '#/$defs/there' },
      { items: [{}], additionalItems: false },
      { exclusiveMinimum: true, minimum: 1 },
      {},
      true,
    ];
    for (const part of parts) assert.equal(faultOf(withPart(part)), undefined, JSON.stringify(part));
    assert.equal(faultOf(z.object({ a: z.string() })), undefined);
    assert.equal(faultOf({}), undefined);
  });

  test('says what is wrong with what cannot be used', () => {
    const broken: readonly (readonly [unknown, RegExp])[] = [
      [withPart({ type: 'strin' }), /properties\/part\/type/],
      [withPart({ $ref: '#/$defs/gone' }), /refers to #\/\$defs\/gone/],
      [withPart({ $ref: 'https://example.com/other' }), /refers to https:\/\/example\.com\/other/],
      [{ ...(withPart({ $ref: '#/$defs/C#' }) as object), $defs: { 'C#': {} } }, /reference #\/\$defs\/C#/],
      [withPart({ enum: [] }), /enum/],
      [withPart({ $id: 'https://example.com/a', properties: { b: { $ref: '#/nowhere' } } }), /nowhere/],
      [{ type: 'array' }, /must describe an object/],
      [z.object({ at: z.date() }), /no usable JSON form/],
    ];
    for (const [schema, expected] of broken) assert.match(faultOf(schema) ?? 'no fault', expected);
  });

  test('refuses what comes back to itself with the same value in hand', () => {
    const parts = (defs: object, more: object = {}): unknown => ({
      type: 'object',
      properties: { part: { $ref: '#/$defs/a' } },
      $defs: defs,
      ...more,
    });
    const endless: readonly (readonly [unknown, RegExp])[] = [
      [parts({ a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }), /without an end: #\/\$defs\/b → #\/\$defs\/a$/],
      [{ $ref: '#' }, /without an end: #$/],
      [{ type: 'object', anyOf: [{ required: ['x'] }, { $ref: '#' }] }, /without an end/],
      [parts({ a: { allOf: [{ oneOf: [{ not: { $ref: '#/$defs/a' } }] }] } }), /without an end/],
      [parts({ a: { if: { $ref: '#/$defs/a' } } }), /without an end/],
      [parts({ a: { if: {}, else: { $ref: '#/$defs/a' } } }), /without an end/],
      [parts({ a: { dependentSchemas: { x: { $ref: '#/$defs/a' } } } }), /without an end/],
      [parts({ a: { $anchor: 'here', $ref: '#here' } }), /without an end/],
      [parts({ a: { $dynamicAnchor: 'here', $dynamicRef: '#here' } }), /without an end/],
      [parts({ a: { $id: 'https://example.com/a', $ref: '/b' }, b: { $id: 'https://example.com/b', $ref: 'a' } }), /without an end/],
      [{ type: 'object', properties: { part: { $ref: '#/x/a' } }, x: { a: { allOf: [{ $ref: '#/x/a' }] } } }, /without an end/],
      [
        parts(
          Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, at, all) => [name, { $ref: `#/$defs/${all[(at + 1) % 7]}` }])),
        ),
        /without an end: (#\/\$defs\/. → ){5}…$/,
      ],
    ];
    for (const [schema, expected] of endless) assert.match(faultOf(schema) ?? 'no fault', expected, JSON.stringify(schema));
  });

  test('takes what holds itself one level further down, however it is referred to', () => {
    const shapes = [
      { properties: { kids: { items: { $ref: '#' } } } },
      {
        properties: { a: { $ref: '#/$defs/list' } },
        $defs: { list: { anyOf: [{ type: 'null' }, { properties: { next: { $ref: '#/$defs/list' } } }] } },
      },
      { properties: { a: { $ref: 'Node' } }, $defs: { a: { $id: 'Node', properties: { left: { $ref: 'Node' }, right: { $ref: '#' } } } } },
      {
        properties: { a: { $ref: '#/$defs/C%23' }, b: { $ref: '#/$defs/a~1b' }, c: { $ref: '#/$defs/List<String>' } },
        $defs: { 'C#': { items: { $ref: '#/$defs/C%23' } }, 'a/b': {}, 'List<String>': {} },
      },
      { properties: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } }, $defs: { a: { else: { $ref: '#/$defs/a' } } } },
      { $dynamicAnchor: 'node', properties: { kids: { items: { $dynamicRef: '#node' } } } },
    ];
    for (const shape of shapes) {
      const tool = sampleTool('Sample', { inputSchema: { type: 'object', ...shape } });
      assert.equal(schemaFault(tool), undefined, JSON.stringify(shape));
      assert.ok(inputValidator(tool)({}).ok);
    }
  });

  test('finds what is wrong in a place that only a reference leads to', () => {
    const at = (x: unknown): unknown => ({ type: 'object', properties: { part: { $ref: '#/x' } }, x });
    assert.equal(faultOf(at({ type: 'string' })), undefined);
    assert.match(faultOf(at({ type: 'strin' })) ?? '', /strin/);
    assert.match(faultOf(at({ items: { $ref: '#/gone' } })) ?? '', /gone/);
    assert.match(faultOf(withPart({ $ref: '#/required', required: [] })) ?? '', /refers to #\/required/);
  });

  test('takes what asks for an answer later: it comes at once', () => {
    const tool = sampleTool('Sample', {
      inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $async: true, type: 'string' } } },
    });
    assert.equal(schemaFault(tool), undefined);
    assert.equal(inputValidator(tool)({ a: 1 }).ok, false);
  });

  test('refuses a schema with more values than compile in little time', () => {
    const withValues = (count: number, more: object = {}): unknown => ({
      type: 'object',
      ...more,
      required: Array.from({ length: count }, (_, at) => `p${at}`),
    });
    assert.equal(faultOf(withValues(1_997)), undefined);
    assert.match(faultOf(withValues(1_998)) ?? '', /holds 2001 values, and at most 2000/);
    assert.equal(faultOf(withValues(496, { unevaluatedProperties: false })), undefined);
    assert.match(faultOf(withValues(498, { unevaluatedProperties: false })) ?? '', /holds 502 values, and at most 500 .*unevaluated/);
    assert.equal(faultOf(withValues(498, { description: 'Not "unevaluatedProperties": false.' })), undefined);
  });

  test('refuses what is nested deeper than the compiler can follow, also along references', () => {
    const nested = (depth: number, inside: object = {}): object =>
      depth === 0 ? inside : { properties: { a: nested(depth - 1, inside) } };
    const chain = (length: number): unknown => ({
      ...nested(1, { $ref: '#/$defs/a0' }),
      $defs: Object.fromEntries(
        Array.from({ length }, (_, at) => [`a${at}`, at + 1 < length ? nested(1, { $ref: `#/$defs/a${at + 1}` }) : {}]),
      ),
    });
    for (const [schema, deeper] of [
      [nested(140), nested(160)],
      [chain(70), chain(80)],
    ] as const) {
      const tool = sampleTool('Sample', { inputSchema: schema as JsonSchema });
      assert.equal(schemaFault(tool), undefined);
      assert.ok(inputValidator(tool)({}).ok);
      assert.match(faultOf(deeper) ?? '', /nested more than 150 deep/);
    }
  });

  test('refuses a schema that would take long to compile, or has no end', () => {
    assert.match(faultOf({ type: 'object', description: 'x'.repeat(70_000) }) ?? '', /70\d\d\d characters long/);
    let deep: unknown = {};
    for (let depth = 0; depth < 100_000; depth += 1) deep = { not: deep };
    assert.notEqual(faultOf(withPart(deep)), undefined);
    const ring: Record<string, unknown> = { type: 'object' };
    ring['properties'] = { ring };
    assert.notEqual(faultOf(ring), undefined);
  });
});
