import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { late, Problem } from '../../src/contract/index.ts';

describe('what is opened when it is used first', () => {
  test('is opened once, however many ask at once, and closed once', async () => {
    const told: string[] = [];
    const thing = late(
      async () => told.push('opened'),
      async () => told.push('closed'),
    );
    await Promise.all([thing.get(), thing.get()]);
    await thing.close();
    assert.deepEqual(told, ['opened', 'closed']);
  });

  test('is tried again when it could not be opened', async () => {
    let tries = 0;
    const thing = late(async () => {
      tries += 1;
      if (tries === 1) throw new Error('too many open files');
      return 'open';
    });
    await assert.rejects(thing.get(), /too many open files/);
    assert.equal(await thing.get(), 'open');
  });

  test('is not opened any more once it was closed, and nothing is closed that never was open', async () => {
    const thing = late(
      async () => assert.fail('It was opened.'),
      async () => assert.fail('It was closed.'),
    );
    await thing.close();
    await assert.rejects(thing.get(), (error) => error instanceof Problem && error.code === 'draining');
  });
});
