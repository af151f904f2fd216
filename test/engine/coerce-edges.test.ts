// Inputs at the edges of what is repaired: numbers that JavaScript would change, deep and wide texts, lists that are nearly none.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coerce } from '../../src/engine/prepare/coerce.ts';

const list = { type: 'array' };
const listOf = (items: unknown): object => ({ type: 'array', items });
const text = { type: 'string' };
const number = { type: 'number' };

function repaired(schema: object, v: unknown): unknown {
  return (coerce({ type: 'object', properties: { v: schema } }, { v }).input as { v: unknown }).v;
}

describe('the text of a list', () => {
  test('is read when it is wide, and when it nests as deep as it may', () => {
    for (const wide of [JSON.stringify(Array.from({ length: 2_000 }, () => ({}))), JSON.stringify(Array.from({ length: 2_000 }, () => []))])
      assert.deepEqual(repaired(list, wide), JSON.parse(wide));
    const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    assert.deepEqual(repaired(list, deep(256)), JSON.parse(deep(256)));
    assert.equal(typeof repaired({ anyOf: [list, text] }, deep(300)), 'string');
  });

  test('is read only when it holds no number that JavaScript would change', () => {
    for (const same of [
      '[1]',
      '[0.1]',
      '[1e3]',
      '[100000000000000000000]',
      '[0.00000000000000000000]',
      '[-0.0e0]',
      '[1.50000000000000000000]',
      '[12e-7]',
      '["1e999"]',
    ])
      assert.deepEqual(repaired(list, same), JSON.parse(same), same);
    for (const other of ['[9007199254740993]', '[0.12345678901234567890]', '[1e999]', '[1e-999]', '[123456789012345678]'])
      assert.notDeepEqual(repaired(list, other), JSON.parse(other), other);
  });

  test('is left alone when it is broken', () => {
    for (const broken of ['[1', '[1,]', '{', '[1]]', '[01]'])
      assert.notEqual(typeof (repaired(list, broken) as unknown[])[0], 'number', broken);
  });
});

describe('one value for a list', () => {
  test('becomes the list of it, also behind the envelope that models put around it', () => {
    assert.deepEqual(repaired(listOf(text), 'a'), ['a']);
    assert.deepEqual(repaired(listOf(text), { item: 'a' }), ['a']);
    assert.deepEqual(repaired(listOf(text), { item: ['a', 'b'] }), ['a', 'b']);
    assert.deepEqual(repaired(listOf(number), { item: '5' }), [5]);
  });

  test('becomes an empty list when it is empty', () => {
    assert.deepEqual(repaired(listOf(text), ''), []);
    assert.deepEqual(repaired(listOf(text), ' '), []);
    assert.deepEqual(repaired(listOf(text), { item: '' }), []);
  });

  test('stays nothing when it is nothing', () => {
    assert.equal(repaired(listOf(text), null), null);
    assert.equal(repaired(listOf(text), undefined), undefined);
    assert.deepEqual(repaired(listOf(text), { item: null }), { item: null });
  });
});

describe('a schema that leads back to itself', () => {
  test('is followed as far as the value goes', () => {
    const tree = { type: 'object', properties: { n: number, next: { $ref: '#' } } };
    const nested = (depth: number, n: unknown): unknown => (depth === 0 ? { n } : { n, next: nested(depth - 1, n) });
    assert.deepEqual(coerce(tree, nested(50, '1')).input, nested(50, 1));
    assert.equal(coerce(tree, nested(50, '1')).coerced.length, 51);
  });

  test('and never without end', () => {
    for (const schema of [{ $ref: '#' }, { allOf: [{ $ref: '#' }] }, { anyOf: [{ $ref: '#' }, text] }, { oneOf: [{ $ref: '#' }] }])
      assert.deepEqual(coerce(schema, { a: '1' }).input, { a: '1' });
  });
});
