// What is kept under idempotency keys. A claim stands where the record will be, fades when its maker dies, and is kept alive until then.
import { randomUUID } from 'node:crypto';
import type { Claim, Claimed, IdempotencyRecord } from '../../contract/index.ts';
import { replyKey } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

/** Before the name of a claim, which no record begins with. */
const CLAIM = 'claim ';
/** How many times a claim is renewed in the time that it stays. */
const RENEWALS = 4;

/** Replies under idempotency keys: Redis itself takes them away when their time is over. @param claimMs milliseconds for which a claim stays that is not renewed: longer than a node that stands still may go on */
export function keptReplies(link: Link, claimMs: number) {
  return {
    claim: (owner: string, key: string): Promise<Claimed | null> => claimKey(link, replyKey(owner, key), claimMs),
    get: async (owner: string, key: string): Promise<IdempotencyRecord | null> =>
      recordOf(await link.ask(replyKey(owner, key), (client, name) => client.get(name))),
    /** False when the key is taken. */
    remember: async (owner: string, key: string, { expiresAt, ...record }: IdempotencyRecord & { expiresAt: number }): Promise<boolean> => {
      const expiration = { type: 'PXAT', value: Math.max(1, Math.ceil(expiresAt)) } as const;
      const kept = await link.ask(replyKey(owner, key), (client, name) =>
        client.set(name, JSON.stringify(record), { condition: 'NX', expiration }),
      );
      return kept !== null;
    },
  };
}

/** What a key holds; `null` when that is a claim, or nothing. */
function recordOf(kept: string | null): IdempotencyRecord | null {
  return kept === null || kept.startsWith(CLAIM) ? null : (JSON.parse(kept) as IdempotencyRecord);
}

/** Takes a key, in one step with the look at what it holds. */
async function claimKey(link: Link, name: string, staysMs: number): Promise<Claimed | null> {
  const value = `${CLAIM}${randomUUID()}`;
  const kept = await link.ask(name, (client) =>
    client.set(name, value, { condition: 'NX', GET: true, expiration: { type: 'PX', value: staysMs } }),
  );
  if (kept === null) return { claim: heldClaim(link, { name, value }, staysMs) };
  const record = recordOf(kept);
  return record && { record };
}

function heldClaim(link: Link, { name, value }: { name: string; value: string }, staysMs: number): Claim {
  const renewal = setInterval(() => {
    link.run(SCRIPTS.leaseRenew, [name], [value, staysMs]).catch(() => {
      // Redis is away: tried again the next time, or lost, which the maker learns when it keeps what it has made.
    });
  }, staysMs / RENEWALS).unref();
  return {
    async keep({ expiresAt, ...record }) {
      clearInterval(renewal);
      return (await link.run(SCRIPTS.claimKeep, [name], [value, JSON.stringify(record), Math.max(1, Math.ceil(expiresAt))])) === 1;
    },
    async release() {
      clearInterval(renewal);
      // When it cannot be told, the claim ends by itself.
      await link.run(SCRIPTS.leaseRelease, [name], [value]).catch(() => undefined);
    },
  };
}
