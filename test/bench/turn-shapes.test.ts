import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { idealFinish, TURN_SHAPES } from '../../bench/turn-shapes.ts';

describe('the shapes of turns', () => {
  for (const { name, calls, gain } of TURN_SHAPES) {
    test(`${name}: waiting only for what is in the way is worth what the bench asks for`, () => {
      const [partition, dependencies] = [idealFinish(calls, 'partition'), idealFinish(calls, 'dependencies')];
      assert.ok(partition / dependencies >= gain, `${partition} to ${dependencies} ms`);
      assert.ok(calls.length <= 10, 'all fit side by side');
    });
  }

  test('a call waits for the last of those that are in its way, and for no other', () => {
    const calls = [
      { writes: '/a', durationMs: 50 },
      { writes: '/b', durationMs: 10 },
      { reads: '/b', durationMs: 10 },
      { writes: '/a', durationMs: 10 },
      { reads: '/', durationMs: 10 },
    ];
    assert.equal(idealFinish(calls, 'dependencies'), 70);
    assert.equal(idealFinish(calls, 'partition'), 90);
  });
});
