import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../src/contract/index.ts';
import { SessionQuota } from '../../src/sessions/registry/session-quota.ts';

/** A quota over a store that takes a moment for everything. */
function withLimit(limit: number, kept = 0) {
  const owned = { kept };
  const quota = new SessionQuota({
    limit,
    async count() {
      await sleep(Math.random() * 3);
      const { kept: counted } = owned;
      await sleep(Math.random() * 3);
      return counted;
    },
  });
  const make = async (): Promise<'made'> => {
    await sleep(Math.random() * 3);
    owned.kept += 1;
    return 'made';
  };
  return { owned, quota, make };
}

async function outcomes(attempts: readonly Promise<unknown>[]): Promise<{ made: number; refused: number }> {
  const ended = await Promise.allSettled(attempts);
  const refused = ended.filter((end) => end.status === 'rejected');
  for (const { reason } of refused) assert.ok(reason instanceof Problem && reason.code === 'too-many-requests', String(reason));
  return { made: ended.length - refused.length, refused: refused.length };
}

describe('an owner’s sessions', () => {
  test('are never more than allowed, and never fewer, when many are made at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { owned, quota, make } = withLimit(10, 5);
      const attempts = Array.from({ length: 12 }, () => quota.within('one', make));
      assert.deepEqual(await outcomes(attempts), { made: 5, refused: 7 });
      assert.equal(owned.kept, 10);
    }
  });

  test('leave room again when one could not be made or has gone', async () => {
    const { owned, quota, make } = withLimit(1);
    const failing = quota.within('one', () => Promise.reject(new Error('no directory')));
    const waiting = quota.within('one', make);
    await assert.rejects(failing, /no directory/);
    assert.equal(await waiting, 'made');
    assert.deepEqual(await outcomes([quota.within('one', make)]), { made: 0, refused: 1 });
    owned.kept = 0;
    assert.equal(await quota.within('one', make), 'made');
  });
});
