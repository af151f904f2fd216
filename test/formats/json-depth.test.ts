import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exceedsDepth } from '../../src/formats/json-depth.ts';

describe('nesting', () => {
  test('counts arrays and objects, not values', () => {
    assert.equal(exceedsDepth(7, 0), false);
    assert.equal(exceedsDepth(null, 0), false);
    assert.equal(exceedsDepth([], 0), true);
    assert.equal(exceedsDepth({ a: [1, { b: 2 }] }, 3), false);
    assert.equal(exceedsDepth({ a: [1, { b: 2 }] }, 2), true);
  });

  test('finds the deepest of many branches', () => {
    assert.equal(exceedsDepth({ a: 1, b: [], c: { d: { e: {} } }, f: [[]] }, 3), true);
    assert.equal(exceedsDepth({ a: 1, b: [], c: { d: { e: {} } }, f: [[]] }, 4), false);
  });

  test('a million levels neither overflow the stack nor pass', () => {
    assert.equal(exceedsDepth(JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000)), 999_999), true);
  });

  test('a wide value is not a deep one', () => {
    assert.equal(
      exceedsDepth(
        Array.from({ length: 100_000 }, () => ({})),
        2,
      ),
      false,
    );
  });
});
