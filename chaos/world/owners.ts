// Which node works on which session: asked of Redis now and then, to count how often that changes.
import { createClient } from '@redis/client';
import { setTimeout as wait } from 'node:timers/promises';
import { sessionKeys } from '../../src/store/redis/keys.ts';
import type { SessionClient } from '../clients/session-client.ts';
import type { Ledger } from '../ledger.ts';

const LOOK_MS = 500;

export interface OwnersOptions {
  readonly url: string;
  readonly sessions: readonly SessionClient[];
  readonly ledger: Ledger;
}

/** @returns what ends the watch */
export function watchOwners({ url, sessions, ledger }: OwnersOptions): () => Promise<void> {
  const left = new AbortController();
  const owners = new Map<string, string>();
  const client = createClient({ url, disableOfflineQueue: true, maintNotifications: 'disabled' });
  // Redis is down at times: then nothing is counted.
  client.on('error', () => undefined);

  async function look(): Promise<void> {
    for (const { id } of sessions) {
      const node = (await client.get(sessionKeys(id).owner))?.split(' ')[1];
      if (node === undefined) continue;
      const before = owners.get(id);
      owners.set(id, node);
      if (before !== undefined && before !== node) ledger.count('take-overs of a session');
    }
  }

  const connecting = client.connect().catch(() => undefined);
  const looping = (async () => {
    while (!left.signal.aborted) {
      await look().catch(() => undefined);
      await wait(LOOK_MS, undefined, { signal: left.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    left.abort();
    client.destroy();
    await connecting;
    await looping;
  };
}
