import { LRUCache } from 'lru-cache';
import type { SessionView } from './session-view.ts';

/** Sessions, and owners, that are known without asking the tables. */
const [SESSIONS, OWNERS] = [10_000, 1_000];

/** Sessions as they are after all writes, and how many an owner has, as far as that was asked for lately. */
export interface KnownSessions {
  view(sessionId: string): SessionView | undefined;
  /** Notes what was read of a session. */
  learn(sessionId: string, view: SessionView): void;
  /** Notes that a session has changed, or is gone. */
  change(sessionId: string, change: { from: SessionView | undefined; to: SessionView | undefined }): void;
  /** Notes that a session may have changed in any way. */
  forget(sessionId: string): void;
  count(owner: string): number | undefined;
  /** How many sessions have come or gone so far. */
  readonly comings: number;
  learnCount(owner: string, count: number): void;
}

export function knownSessions(): KnownSessions {
  const views = new LRUCache<string, SessionView>({ max: SESSIONS });
  const counts = new LRUCache<string, number>({ max: OWNERS });
  let comings = 0;
  const count = (owner: string, by: number): void => {
    comings += 1;
    const known = counts.get(owner);
    if (known !== undefined) counts.set(owner, known + by);
  };

  return {
    view: (sessionId) => views.get(sessionId),
    learn: (sessionId, view) => void views.set(sessionId, view),
    change(sessionId, { from, to }) {
      if (to) views.set(sessionId, to);
      else views.delete(sessionId);
      if (from && !to) count(from.owner, -1);
      if (to && !from) count(to.owner, 1);
    },
    forget(sessionId) {
      views.delete(sessionId);
      counts.clear();
      comings += 1;
    },
    count: (owner) => counts.get(owner),
    get comings() {
      return comings;
    },
    learnCount: (owner, known) => void counts.set(owner, known),
  };
}
