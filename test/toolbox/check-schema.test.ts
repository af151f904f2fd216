import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { JsonSchema } from '../../src/contract/index.ts';
import { schemaFault } from '../../src/toolbox/check-schema.ts';
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
      [withPart({ enum: [] }), /enum/],
      [withPart({ $id: 'https://example.com/a', properties: { b: { $ref: '#/nowhere' } } }), /nowhere/],
      [{ type: 'array' }, /must describe an object/],
      [z.object({ at: z.date() }), /no usable JSON form/],
    ];
    for (const [schema, expected] of broken) assert.match(faultOf(schema) ?? 'no fault', expected);
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
