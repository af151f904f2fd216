import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { clipped, headOf, tailOf } from '../../src/contract/index.ts';

describe('a part of a text', () => {
  test('is never cut inside a surrogate pair', () => {
    assert.deepEqual([headOf('a😀b', 2), headOf('a😀b', 3)], ['a', 'a😀']);
    assert.equal(headOf('\uD800ab', 1), '\uD800');
  });

  test('is as long as asked for, or one less', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 12 }), (text, limit) => {
        for (const [part, whole] of [
          [headOf(text, limit), text.slice(0, limit)],
          [tailOf(text, limit), text.slice(Math.max(0, text.length - limit))],
        ] as const) {
          assert.ok(part.isWellFormed());
          assert.ok(whole.includes(part) && whole.length - part.length <= 1);
          assert.equal(part.length === whole.length, whole.isWellFormed());
        }
      }),
    );
  });
});

test('a clipped text is whole when it fits, and otherwise no longer than asked for, with … for what is missing', () => {
  for (const limit of [5, 6, Infinity]) assert.equal(clipped('12345', limit), '12345');
  assert.equal(clipped('123456', 5), '1234…');
  assert.equal(clipped('abc😀e', 5), 'abc…');
});
