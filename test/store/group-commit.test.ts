import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { groupCommit, type Transaction } from '../../src/store/group-commit.ts';

describe('group commit', () => {
  test('work asked for in one turn of the event loop shares one transaction, in the order of asking', async () => {
    const log = ledger();
    const group = groupCommit(log.transaction);
    const answers = await Promise.all([1, 2, 3].map((n) => group.run(() => log.write(n))));
    assert.deepEqual(answers, [1, 2, 3]);
    assert.deepEqual(log.committed, [[1, 2, 3]]);
  });

  test('work that throws fails alone, and the others keep their order', async () => {
    const log = ledger();
    const group = groupCommit(log.transaction);
    const settled = await Promise.allSettled(
      [1, 2, 3, 4].map((n) =>
        group.run(() => {
          if (n === 2) throw new Error('bad work');
          return log.write(n);
        }),
      ),
    );
    assert.deepEqual(
      settled.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))),
      [1, 'Error: bad work', 3, 4],
    );
    assert.deepEqual(log.committed.flat(), [1, 3, 4]);
  });

  test('nobody is told of success before the transaction is written, and everybody of its failure', async () => {
    const log = ledger();
    log.failCommits = true;
    const group = groupCommit(log.transaction);
    const settled = await Promise.allSettled([1, 2, 3].map((n) => group.run(() => log.write(n))));
    assert.deepEqual(
      settled.map((one) => one.status),
      ['rejected', 'rejected', 'rejected'],
    );
    log.failCommits = false;
    assert.equal(await group.run(() => log.write(4)), 4);
    assert.deepEqual(log.committed, [[4]]);
  });

  test('a transaction that cannot even begin fails all who wait, and none waits for ever', async () => {
    const group = groupCommit(() => {
      throw new Error('no disk');
    });
    const settled = await Promise.allSettled([1, 2, 3].map((n) => group.run(() => n)));
    assert.deepEqual(
      settled.map((one) => one.status),
      ['rejected', 'rejected', 'rejected'],
    );
  });

  test('long work is spread over several transactions, and others get their turn in between', async () => {
    const log = ledger();
    const group = groupCommit(log.transaction);
    let turns = 0;
    const tick = setInterval(() => {
      turns += 1;
    }, 1);
    const slow = (n: number) => () => {
      const end = performance.now() + 3;
      while (performance.now() < end);
      return log.write(n);
    };
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => group.run(slow(n))));
    clearInterval(tick);
    assert.deepEqual(log.committed.flat(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert.ok(log.committed.length > 1);
    assert.ok(turns > 1);
  });

  test('a flush writes all that waits before it returns', async () => {
    const log = ledger();
    const group = groupCommit(log.transaction);
    const asked = [1, 2].map((n) => group.run(() => log.write(n)));
    group.flush();
    assert.deepEqual(log.committed, [[1, 2]]);
    assert.deepEqual(await Promise.all(asked), [1, 2]);
    group.flush();
    assert.deepEqual(log.committed, [[1, 2]]);
  });
});

/** Transactions over a plain list: what is written counts when its transaction commits. */
function ledger() {
  let pending: number[] = [];
  const committed: number[][] = [];
  const log = {
    committed,
    failCommits: false,
    write(n: number): number {
      pending.push(n);
      return n;
    },
    transaction: (<T>(work: () => T): T => {
      pending = [];
      const value = work();
      if (log.failCommits) throw new Error('not written');
      committed.push(pending);
      return value;
    }) satisfies Transaction,
  };
  return log;
}
