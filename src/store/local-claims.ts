import type { Claimed, IdempotencyRecord, Store } from '../contract/index.ts';
import { replyName } from './pending.ts';

export interface LocalClaimOptions {
  /** What is kept under a key. */
  readonly reply: (owner: string, key: string) => Promise<IdempotencyRecord | null>;
  readonly remember: Store['remember'];
}

/** Claims in a store that one process has to itself: they end with it. */
export function localClaims({ reply, remember }: LocalClaimOptions): (owner: string, key: string) => Promise<Claimed | null> {
  const taken = new Set<string>();
  return async (owner, key) => {
    const name = replyName(owner, key);
    if (taken.has(name)) return null;
    // Taken before it is looked whether something is kept: whoever comes meanwhile must not look too.
    taken.add(name);
    const record = await reply(owner, key).catch((error: unknown) => {
      taken.delete(name);
      throw error;
    });
    if (record !== null) {
      taken.delete(name);
      return { record };
    }
    let held = true;
    const end = (): void => {
      if (held) taken.delete(name);
      held = false;
    };
    return {
      claim: {
        keep: (made) => remember(owner, key, made).finally(end),
        release: async () => end(),
      },
    };
  };
}
