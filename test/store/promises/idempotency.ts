import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim, Claimed, IdempotencyRecord } from '../../../src/contract/index.ts';
import type { OpenStore } from '../open-store.ts';

const HOUR_MS = 3_600_000;

/** How the first reply under a key is kept. */
export function idempotencyPromises(open: OpenStore): void {
  describe('idempotency keys', () => {
    test('the first reply under a key stays, over a reopen too', async (t) => {
      const { store, reopen } = await open(t);
      assert.equal(await store.idempotency('anna', 'key'), null);
      assert.equal(await store.remember('anna', 'key', lasting(reply('first'))), true);
      assert.equal(await store.remember('anna', 'key', lasting(reply('second'))), false);
      assert.deepEqual(await (await reopen()).idempotency('anna', 'key'), reply('first'));
    });

    test('of many replies at once exactly the first one asked for wins', async (t) => {
      const { store } = await open(t);
      const bodies = Array.from({ length: 50 }, (_, index) => `reply ${index}`);
      const taken = await Promise.all(bodies.map((body) => store.remember('anna', 'key', lasting(reply(body)))));
      assert.deepEqual(
        bodies.filter((_, index) => taken[index]),
        ['reply 0'],
      );
      assert.deepEqual(await store.idempotency('anna', 'key'), reply('reply 0'));
    });

    test('the same key of two owners is two keys', async (t) => {
      const { store } = await open(t);
      for (const owner of ['anna', 'ben', '', '__proto__']) {
        assert.equal(await store.remember(owner, 'key', lasting(reply(owner))), true, owner);
      }
      assert.equal(await store.remember('a', 'bc', lasting(reply('a'))), true);
      assert.equal(await store.remember('ab', 'c', lasting(reply('ab'))), true);
      assert.deepEqual(await store.idempotency('ben', 'key'), reply('ben'));
      assert.deepEqual(await store.idempotency('', 'key'), reply(''));
    });

    test('a reply whose time is over counts as absent, and its key can be taken again', async (t) => {
      const { store, reopen } = await open(t);
      assert.equal(await store.remember('anna', 'key', { ...reply('old'), expiresAt: Date.now() - 1 }), true);
      assert.equal(await store.idempotency('anna', 'key'), null);
      assert.equal(await store.remember('anna', 'key', lasting(reply('new'))), true);
      assert.equal(await store.remember('anna', 'key', lasting(reply('newer'))), false);
      assert.deepEqual(await (await reopen()).idempotency('anna', 'key'), reply('new'));
    });

    test('of many who want to make something under a key one may, until it has ended that', async (t) => {
      const { store } = await open(t);
      const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim('anna', 'key')));
      const [first, ...others] = claims.filter((claimed) => claimed !== null);
      assert.equal(others.length, 0);
      assert.ok(first !== undefined && 'claim' in first);
      assert.ok(claimOf(await store.claim('ben', 'key')), 'another key is free');
      assert.equal(await store.idempotency('anna', 'key'), null, 'a claim is no reply');
      await first.claim.release();
      const second = claimOf(await store.claim('anna', 'key'));
      assert.ok(second, 'what was not made can be made by another');
      await first.claim.release();
      assert.equal(await store.claim('anna', 'key'), null, 'who has let go of it takes it from nobody');
      assert.equal(await second.keep(lasting(reply('made'))), true);
      await second.release();
      assert.deepEqual(await store.claim('anna', 'key'), { record: reply('made') });
      assert.deepEqual(await store.idempotency('anna', 'key'), reply('made'));
    });

    test('what was kept under a claim stays, over a reopen too', async (t) => {
      const { store, reopen } = await open(t);
      await claimOf(await store.claim('anna', 'key'))?.keep(lasting(reply('made')));
      assert.equal(await store.remember('anna', 'key', lasting(reply('other'))), false);
      assert.deepEqual(await (await reopen()).claim('anna', 'key'), { record: reply('made') });
    });

    test('a reply keeps its headers and every byte of its body', async (t) => {
      const { store } = await open(t);
      const headers = Object.fromEntries([
        ['location', '/v1/sessions/ses_a'],
        ['__proto__', 'x'],
      ]);
      const record = { digest: 'sha256:0', status: 201, body: '{"a":"漢 🧑‍🚀 \\ud800"}\n', headers };
      await store.remember('anna', 'key', lasting(record));
      assert.deepEqual(await store.idempotency('anna', 'key'), record);
    });
  });
}

function claimOf(claimed: Claimed | null): Claim | undefined {
  return claimed !== null && 'claim' in claimed ? claimed.claim : undefined;
}

function reply(body: string): IdempotencyRecord {
  return { digest: `digest of ${body}`, status: 201, body, headers: { location: '/v1/x' } };
}

function lasting(record: IdempotencyRecord): IdempotencyRecord & { expiresAt: number } {
  return { ...record, expiresAt: Date.now() + HOUR_MS };
}
