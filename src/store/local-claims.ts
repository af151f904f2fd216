import type { Claimed, IdempotencyRecord, Store } from '../contract/index.ts';
import { replyName } from './pending.ts';

export interface LocalClaimOptions {
  /** What is kept under a key. */
  readonly reply: (owner: string, key: string) => IdempotencyRecord | null;
  readonly remember: Store['remember'];
}

/** Claims in a store that one process has to itself: they end with it. */
export function localClaims({ reply, remember }: LocalClaimOptions): (owner: string, key: string) => Claimed | null {
  const taken = new Set<string>();
  return (owner, key) => {
    const record = reply(owner, key);
    if (record !== null) return { record };
    const name = replyName(owner, key);
    if (taken.has(name)) return null;
    taken.add(name);
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
