// A store that keeps no log: what the service would cost if it wrote down nothing. Only what a running session asks for is
// answered: its row, and where its log stands.
import type { SessionRow, Store } from '../../src/contract/index.ts';
import { localClaims } from '../../src/store/local-claims.ts';

export function forgetfulStore(): Store {
  const sessions = new Map<string, { row: SessionRow | undefined; last: number }>();
  const nothing = async (): Promise<never[]> => [];
  const emptyPage = async () => ({ rows: [], nextCursor: null });
  const remember = async (): Promise<boolean> => true;
  const claim = localClaims({ reply: async () => null, remember });
  return {
    async commit({ sessionId, session, events = [] }) {
      const kept = sessions.get(sessionId);
      sessions.set(sessionId, { row: session ?? kept?.row, last: events.at(-1)?.seq ?? kept?.last ?? 0 });
    },
    session: async (id) => sessions.get(id)?.row ?? null,
    sessions: emptyPage,
    countSessions: async () => sessions.size,
    expired: nothing,
    sessionsWithOpenTurns: nothing,
    removeSession: async (id) => void sessions.delete(id),
    turn: async () => null,
    latestTurn: async () => null,
    openTurns: nothing,
    turns: emptyPage,
    calls: nothing,
    usedIds: nothing,
    events: nothing,
    async range(id) {
      const last = sessions.get(id)?.last ?? 0;
      return { first: last + 1, last };
    },
    trim: async () => undefined,
    claim: async (owner, key) => claim(owner, key),
    idempotency: async () => null,
    remember,
    ping: async () => undefined,
    close: async () => undefined,
  };
}
