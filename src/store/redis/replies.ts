import type { Claimed, IdempotencyRecord } from '../../contract/index.ts';
import { claimKey, recordOf } from './claims.ts';
import { replyKey } from './keys.ts';
import type { Link } from './link.ts';

/** Replies under idempotency keys: Redis itself takes them away when their time is over. @param claimMs milliseconds for which a claim stays that is not renewed */
export function keptReplies(link: Link, claimMs: number) {
  return {
    claim: (owner: string, key: string): Promise<Claimed | null> => claimKey(link, { owner, key }, claimMs),
    get: async (owner: string, key: string): Promise<IdempotencyRecord | null> => {
      const kept = await link.ask(replyKey(owner, key), (client, name) => client.get(name));
      return recordOf(kept);
    },
    /** False when the key is taken. */
    remember: async (owner: string, key: string, { expiresAt, ...record }: IdempotencyRecord & { expiresAt: number }): Promise<boolean> => {
      const until = { type: 'PXAT', value: Math.max(1, Math.ceil(expiresAt)) } as const;
      const kept = await link.ask(replyKey(owner, key), (client, name) =>
        client.set(name, JSON.stringify(record), { condition: 'NX', expiration: until }),
      );
      return kept !== null;
    },
  };
}
