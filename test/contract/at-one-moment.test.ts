import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { atOneMoment } from '../../src/contract/index.ts';

describe('what a batch asks at one moment', () => {
  test('is asked once for each name, and anew for whoever asks later', async () => {
    const together = atOneMoment<string>();
    const asked: string[] = [];
    const ask = (name: string): Promise<string> =>
      together(name, async () => {
        asked.push(name);
        return `${name} ${asked.length}`;
      });
    assert.deepEqual(await Promise.all([ask('a'), ask('b'), ask('a')]), ['a 1', 'b 2', 'a 1']);
    await setImmediate();
    assert.equal(await ask('a'), 'a 3');
    assert.deepEqual(asked, ['a', 'b', 'a']);
  });

  test('that fails tells all who asked, and is asked anew', async () => {
    const together = atOneMoment<string>();
    const failing = [1, 2].map(() => together('a', () => Promise.reject(new Error('no'))));
    for (const one of failing) await assert.rejects(one, /no/);
    await setImmediate();
    assert.equal(await together('a', async () => 'yes'), 'yes');
  });
});
