import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { partition } from '../../src/engine/schedule/partition.ts';

const shape = (flags: boolean[]): number[] => partition(flags, (safe) => safe).map(({ calls }) => calls.length);

test('Grep Read Read Edit Glob Read Bash(git status) makes batches of 3, 1 and 3', () => {
  assert.deepEqual(shape([true, true, true, false, true, true, true]), [3, 1, 3]);
});

test('no calls make no batch, and unsafe calls each stand alone', () => {
  assert.deepEqual(shape([]), []);
  assert.deepEqual(shape([false, false, true, false]), [1, 1, 1, 1]);
});

test('a partition keeps every call in order, never mixes unsafe calls in, and joins all neighbours that may be joined', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), (flags) => {
      const batches = partition(
        flags.map((safe, index) => ({ safe, index })),
        ({ safe }) => safe,
      );
      assert.deepEqual(
        batches.flatMap(({ calls }) => calls.map(({ index }) => index)),
        flags.map((_, index) => index),
      );
      for (const [position, batch] of batches.entries()) {
        assert.ok(batch.concurrent ? batch.calls.every(({ safe }) => safe) : batch.calls.length === 1 && batch.calls[0]?.safe === false);
        assert.ok(!(batch.concurrent && batches[position + 1]?.concurrent));
      }
    }),
  );
});
