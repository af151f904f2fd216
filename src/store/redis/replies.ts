import type { IdempotencyRecord } from '../../contract/index.ts';
import { replyKey } from './keys.ts';
import type { Link } from './link.ts';

/** Replies under idempotency keys: Redis itself takes them away when their time is over. */
export function keptReplies(link: Link) {
  return {
    get: async (owner: string, key: string): Promise<IdempotencyRecord | null> => {
      const kept = await link.ask((client) => client.get(replyKey(owner, key)));
      return kept === null ? null : (JSON.parse(kept) as IdempotencyRecord);
    },
    /** False when the key is taken. */
    remember: async (owner: string, key: string, { expiresAt, ...record }: IdempotencyRecord & { expiresAt: number }): Promise<boolean> => {
      const until = { type: 'PXAT', value: Math.max(1, Math.ceil(expiresAt)) } as const;
      const kept = await link.ask((client) =>
        client.set(replyKey(owner, key), JSON.stringify(record), { condition: 'NX', expiration: until }),
      );
      return kept !== null;
    },
  };
}
