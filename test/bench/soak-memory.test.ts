import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryGrowth } from '../../bench/soak/memory.ts';

const samples = (sizes: readonly number[]) => sizes.map((size) => ({ rssBytes: size, heapBytes: 100, externalBytes: 0, cpuUs: 0 }));

describe('the verdict on memory', () => {
  test('lets memory rise while the server warms up', () => {
    const [resident, heap] = memoryGrowth(samples([50, 80, 95, 100, 100, 101, 100, 102, 101]));
    assert.deepEqual([resident?.grows, heap?.grows], [false, false]);
  });

  test('tells memory that rises by more than a tenth from the middle to the end', () => {
    const [resident, heap] = memoryGrowth(samples([50, 60, 70, 80, 90, 100, 110, 120, 130]));
    assert.deepEqual([resident?.grows, heap?.grows], [true, false]);
  });

  test('is not misled by one sample that is far off', () => {
    const [resident] = memoryGrowth(samples([100, 100, 100, 100, 100, 100, 100, 900, 100]));
    assert.equal(resident?.grows, false);
  });
});
