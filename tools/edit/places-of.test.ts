import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placesOf } from './places-of.ts';

test('every place of a text is found, overlaps included', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 }),
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }),
      (text, wanted) => {
        const expected: number[] = [];
        for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) expected.push(at);
        assert.deepEqual(placesOf(text, wanted), expected);
      },
    ),
  );
});

test('a text made to be searched slowly takes hardly longer than another of its length', () => {
  const time = (wanted: string): number => {
    const started = performance.now();
    placesOf('a'.repeat(500_000), wanted);
    return performance.now() - started;
  };
  const plain = Math.max(...[1, 2, 3].map(() => time('b'.repeat(250_000))), 5);
  assert.ok(time(`${'a'.repeat(260)}b${'a'.repeat(250_000)}`) / plain < 50);
});
