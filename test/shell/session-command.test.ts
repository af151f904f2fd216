import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeoutOf } from '../../src/shell/session-command/input.ts';

test('a command has two minutes, or as long as it asks for, and never more than ten minutes', () => {
  assert.equal(timeoutOf({}), 120_000);
  for (const [asked, given] of [
    [1, 1],
    [1_500.2, 1_501],
    [600_000, 600_000],
    [600_001, 600_000],
    [1e12, 600_000],
  ] as const) {
    assert.equal(timeoutOf({ timeout: asked }), given);
  }
});
