// Claims of idempotency keys. A claim stands where the record will be, fades when its maker dies, and is kept alive until then.
import { randomUUID } from 'node:crypto';
import type { Claim, Claimed, IdempotencyRecord } from '../../contract/index.ts';
import { replyKey } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

/** Before the name of a claim, which no record begins with. */
const CLAIM = 'claim ';
/** How many times a claim is renewed in the time that it stays. */
const RENEWALS = 4;

/** What a key holds; `null` when that is a claim, or nothing. */
export function recordOf(kept: string | null): IdempotencyRecord | null {
  return kept === null || kept.startsWith(CLAIM) ? null : (JSON.parse(kept) as IdempotencyRecord);
}

/**
 * Takes a key, in one step with the look at what it holds.
 * @param staysMs milliseconds for which a claim stays that is not renewed: longer than a node that stands still may go on
 * @throws Problem `store-unavailable`
 */
export async function claimKey(link: Link, key: { owner: string; key: string }, staysMs: number): Promise<Claimed | null> {
  const name = replyKey(key.owner, key.key);
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
