// What one node alone needs no server for: leases of sessions, and places in lists.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localLeases } from '../../src/store/local-leases.ts';
import { allPages, sessionRow, turnRow } from './rows.ts';
import { openUntilEnd, storeFile } from './sqlite-files.ts';

describe('the leases of a node that is alone', () => {
  test('are granted to one at a time, each with a higher epoch', async () => {
    const leases = localLeases('here');
    const first = (await leases.acquire('ses_a')) ?? assert.fail();
    assert.equal(await leases.acquire('ses_a'), null);
    const other = (await leases.acquire('ses_b')) ?? assert.fail();
    assert.ok(other.epoch > first.epoch);
    await first.release();
    const second = (await leases.acquire('ses_a')) ?? assert.fail();
    assert.ok(second.epoch > other.epoch);
    assert.equal(second.sessionId, 'ses_a');
  });

  test('are over once they are released, and a late release takes nothing from who came after', async () => {
    const leases = localLeases('here');
    const first = (await leases.acquire('ses_a')) ?? assert.fail();
    assert.deepEqual([first.isHeld(), first.lost.aborted], [true, false]);
    await first.release();
    assert.deepEqual([first.isHeld(), first.lost.aborted], [false, true]);
    assert.match(String(first.lost.reason), /ses_a was released/);
    const second = (await leases.acquire('ses_a')) ?? assert.fail();
    await first.release();
    assert.equal(await leases.acquire('ses_a'), null);
    assert.equal(second.isHeld(), true);
  });

  test('tell who holds a session, and all end with the node', async () => {
    const leases = localLeases('here');
    assert.equal(await leases.holder('ses_a'), null);
    const lease = (await leases.acquire('ses_a')) ?? assert.fail();
    assert.equal(await leases.holder('ses_a'), 'here');
    await leases.close();
    assert.equal(lease.isHeld(), false);
    assert.equal(await leases.holder('ses_a'), null);
  });
});

describe('a list that is read page by page', () => {
  test('has every row once, in order, whatever size its pages have', async (t) => {
    const store = await openUntilEnd(t, await storeFile(t));
    for (let n = 1; n <= 7; n += 1)
      await store.commit({ sessionId: `ses_${n}`, session: sessionRow(`ses_${n}`, { createdAt: 1_000 + (n >> 1) }) });
    for (let n = 1; n <= 7; n += 1) await store.commit({ sessionId: 'ses_1', turn: turnRow('ses_1', n) });
    const whole = (await store.sessions({ owner: 'anna', limit: 100 })).rows.map(({ id }) => id);
    assert.deepEqual(whole, ['ses_7', 'ses_6', 'ses_5', 'ses_4', 'ses_3', 'ses_2', 'ses_1']);
    const turns = (await store.turns({ sessionId: 'ses_1', limit: 100 })).rows.map(({ ordinal }) => ordinal);
    for (const limit of [1, 2, 3, 6, 7, 8]) {
      assert.deepEqual(
        (await allPages((at) => store.sessions({ owner: 'anna', limit, ...at }))).map(({ id }) => id),
        whole,
      );
      assert.deepEqual(
        (await allPages((at) => store.turns({ sessionId: 'ses_1', limit, ...at }))).map(({ ordinal }) => ordinal),
        turns,
      );
    }
    assert.equal((await store.sessions({ owner: 'anna', limit: 7 })).nextCursor, null);
    assert.notEqual((await store.sessions({ owner: 'anna', limit: 6 })).nextCursor, null);
  });

  test('takes no cursor of another list, and none that was changed', async (t) => {
    const store = await openUntilEnd(t, await storeFile(t));
    const wrong = [
      '',
      'x',
      Buffer.from('[]').toString('base64url'),
      Buffer.from('["a","b"]').toString('base64url'),
      Buffer.from('[1.5,"a"]').toString('base64url'),
    ];
    for (const cursor of wrong)
      await assert.rejects(store.sessions({ owner: 'anna', limit: 1, cursor }), /pass next_cursor of an earlier page unchanged/, cursor);
    await assert.rejects(
      store.turns({ sessionId: 'ses_1', limit: 1, cursor: Buffer.from('["a"]').toString('base64url') }),
      /not one of this list/,
    );
  });
});
