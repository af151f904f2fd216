// What a stranger's schema and a stranger's input may cost together.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonSchema } from '../../src/contract/index.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { sampleTool } from './sample-tools.ts';

function told(schema: JsonSchema, input: unknown): string {
  const checked = inputValidator(sampleTool('Sample', { inputSchema: { type: 'object', ...schema } }))(input);
  return checked.ok ? 'ok' : checked.issues.map(({ path, message }) => [...path, message].join(' ')).join('\n');
}

const TOO_MUCH = 'The input could not be checked: it is too much for the schema of the tool. Give less at once.';
const nested = (depth: number): unknown => (depth === 0 ? {} : { c: nested(depth - 1) });
const twice = ($ref: string): JsonSchema => ({ allOf: [{ $ref }, { $ref }] });
/** Parts that each name the next one twice. */
const chain = (place: string, length: number): JsonSchema =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`a${n}`, n === length - 1 ? { minProperties: 0 } : twice(`${place}/a${n + 1}`)]));

describe('Work that doubles with each level of a schema', () => {
  for (const [where, schema] of Object.entries({
    'along a chain of parts': { properties: { p: { $ref: '#/$defs/a0' } }, $defs: chain('#/$defs', 22) },
    'along parts in a place that no draft knows': { properties: { p: { $ref: '#/x/a0' } }, x: chain('#/x', 22) },
    'along parts that stand in a value': { properties: { p: { $ref: '#/const/a0' }, const: true }, const: chain('#/const', 22) },
    'in a union': { properties: { p: { oneOf: [{ $ref: '#/$defs/a0' }, { type: 'null' }] } }, $defs: chain('#/$defs', 22) },
  })) {
    test(`${where} ends, and the input is refused`, () => assert.equal(told(schema, { p: {} }).split('\n', 1)[0], TOO_MUCH));
  }

  test('of the input ends as well', () => {
    assert.equal(told({ properties: { c: twice('#') } }, nested(22)), TOO_MUCH);
    assert.equal(
      told({ $dynamicAnchor: 'n', properties: { c: { allOf: [{ $dynamicRef: '#n' }, { $dynamicRef: '#n' }] } } }, nested(22)),
      TOO_MUCH,
    );
  });

  test('is done where there are few levels, each time anew', () => {
    const schema = { properties: { c: twice('#'), p: { $ref: '#/$defs/a0' } }, $defs: chain('#/$defs', 10) };
    const validate = inputValidator(sampleTool('Sample', { inputSchema: { type: 'object', ...schema } }));
    for (let round = 0; round < 2_000; round += 1) assert.ok(validate({ c: nested(8), p: {} }).ok);
  });
});

describe('Work in proportion to the schema and to the input', () => {
  const rules = (rule: JsonSchema): JsonSchema => ({ allOf: Array.from({ length: 300 }, () => rule) });
  const numbers = Array.from({ length: 4_000 }, (_, n) => n);

  for (const [what, schema, input] of [
    ['many rules for a long text', rules({ minLength: 1 }), 'x'.repeat(1_000_000)],
    ['many rules for each item', { items: rules({ type: 'number' }) }, numbers],
    ['many rules for all items', rules({ items: { type: 'number' } }), numbers],
    ['many rules for all keys', rules({ additionalProperties: { type: 'number' } }), Object.fromEntries(numbers.entries())],
    ['many names for each item', { items: { required: numbers.slice(0, 1_000).map(String) } }, numbers.map(() => ({}))],
    ['a large value for each item', { items: { enum: [numbers.slice(0, 1_500).map(() => [])] } }, numbers.flatMap(() => [[], [], [], []])],
  ] as const) {
    test(`ends for ${what}`, () => assert.equal(told({ properties: { p: schema } }, { p: input }), TOO_MUCH));
  }

  test('is done for more than a model can write', () => {
    const column = { type: 'number', minimum: 0 };
    const row = { type: 'object', properties: { a: column, b: column, c: column }, required: ['a', 'b'], additionalProperties: false };
    const rows = Array.from({ length: 30_000 }, (_, n) => ({ a: n, b: 2 * n, c: 3 }));
    const schema = { properties: { rows: { type: 'array', items: { $ref: '#/$defs/row' } }, text: { minLength: 1 } }, $defs: { row } };
    assert.equal(told(schema, { rows, text: 'x'.repeat(10_000_000) }), 'ok');
    assert.equal(told(schema, { rows: [...rows, { a: 1 }], text: 'x' }), "rows 30000 b must have required property 'b'");
  });
});
