import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UsedIds } from '../../src/sessions/input/used-ids.ts';

describe('the ids that a session has used', () => {
  test('are known without the store while it has lived here only', () => {
    const ids = new UsedIds(true);
    assert.deepEqual(ids.among(['a']), []);
    ids.add(['a', 'b']);
    assert.deepEqual(ids.among(['b', 'c']), ['b']);
    ids.forget();
    assert.equal(ids.among(['a']), undefined, 'of a turn that was not kept nobody knows but the store');
  });

  test('are asked of the store for a session that was opened again, and once there are too many', () => {
    const opened = new UsedIds(false);
    opened.add(['a']);
    assert.equal(opened.among(['a']), undefined);
    const many = new UsedIds(true);
    many.add(Array.from({ length: 20_001 }, (_, index) => `id${index}`));
    assert.equal(many.among(['id1']), undefined);
    assert.equal(many.among(['new']), undefined);
  });
});
