import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../../../src/contract/index.ts';
import type { OpenStore } from '../open-store.ts';
import { eventRows, sessionRow } from '../rows.ts';

/** How a store answers while it works, and how it ends. */
export function lifePromises(open: OpenStore): void {
  describe('life', () => {
    test('a working store answers a ping', async (t) => {
      const { store } = await open(t);
      await store.ping();
    });

    test('closing waits for what was asked for before', async (t) => {
      const { store, reopen } = await open(t);
      const asked = [
        store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 5) }),
        store.commit({ sessionId: 'ses_a', events: eventRows(6, 5) }),
      ];
      await store.close();
      await Promise.all(asked);
      assert.deepEqual(await (await reopen()).range('ses_a'), { first: 1, last: 10 });
    });

    test('after closing, every call says that the store is closed; closing again does nothing', async (t) => {
      const { store } = await open(t);
      await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
      await store.close();
      await store.close();
      await assert.rejects(store.session('ses_a'), isClosed);
      await assert.rejects(store.events({ sessionId: 'ses_a', after: 0, limit: 1 }), isClosed);
      await assert.rejects(store.commit({ sessionId: 'ses_a', events: eventRows(1, 1) }), isClosed);
      await assert.rejects(store.removeSession('ses_a'), isClosed);
      await assert.rejects(store.ping(), isClosed);
    });
  });
}

function isClosed(error: unknown): boolean {
  return error instanceof Problem && error.code === 'store-unavailable' && error.message.includes('closed');
}
