// What a store promises, in the plainest words: the suite holds real stores against it.
import type { CallRow, Commit, EventRow, IdempotencyRecord, SessionRow, Store, TurnRow } from '../../src/contract/index.ts';
import { z } from 'zod';
import { decodeCursor, page } from '../../src/store/cursor.ts';
import { localClaims } from '../../src/store/local-claims.ts';

interface Kept {
  session: SessionRow;
  turns: Map<string, TurnRow>;
  /** By turn, then by tool_use id. */
  calls: Map<string, Map<string, CallRow>>;
  events: EventRow[];
  firstSeq: number;
}

type Record_ = IdempotencyRecord & { expiresAt: number };

/** A store that keeps everything in maps, for tests. */
export function memoryStore(): Store {
  const kept = new Map<string, Kept>();
  const records = new Map<string, Record_>();
  const listed = (owner: string): SessionRow[] =>
    [...kept.values()].map(({ session }) => session).filter((session) => session.owner === owner);
  const turnsOf = (id: string): TurnRow[] => [...(kept.get(id)?.turns.values() ?? [])].toSorted((a, b) => b.ordinal - a.ordinal);
  const live = (owner: string, key: string): Record_ | undefined => {
    const record = records.get(JSON.stringify([owner, key]));
    return record && record.expiresAt > Date.now() ? record : undefined;
  };
  const reply = (owner: string, key: string): IdempotencyRecord | null => {
    const record = live(owner, key);
    if (!record) return null;
    const { expiresAt: _, ...first } = record;
    return first;
  };
  const remember: Store['remember'] = async (owner, key, record) => {
    if (live(owner, key)) return false;
    records.set(JSON.stringify([owner, key]), record);
    return true;
  };
  const claim = localClaims({ reply: async (...key) => reply(...key), remember });

  return {
    commit: async (commit) => {
      kept.set(commit.sessionId, applied(kept.get(commit.sessionId), commit));
    },
    session: async (id) => kept.get(id)?.session ?? null,
    sessions: async ({ owner, limit, cursor }) => {
      const rows = listed(owner).toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      const [time, last] = cursor === undefined ? [Infinity, ''] : decodeCursor(cursor, z.tuple([z.number(), z.string()]));
      const left = rows.filter((row) => row.createdAt < time || (row.createdAt === time && row.id < last));
      return page(left, limit, (row) => [row.createdAt, row.id]);
    },
    countSessions: async (owner) => listed(owner).length,
    expired: async (now, limit) =>
      [...kept.values()]
        .map(({ session }) => session)
        .filter((session) => session.expiresAt <= now)
        .toSorted((a, b) => a.expiresAt - b.expiresAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((session) => session.id),
    removeSession: async (id) => {
      kept.delete(id);
    },

    turn: async (sessionId, turnId) => kept.get(sessionId)?.turns.get(turnId) ?? null,
    latestTurn: async (sessionId) => turnsOf(sessionId)[0] ?? null,
    openTurns: async (sessionId) =>
      turnsOf(sessionId)
        .filter((turn) => turn.open)
        .toReversed(),
    sessionsWithOpenTurns: async (limit) =>
      [...kept]
        .filter(([, { turns }]) => [...turns.values()].some(({ open }) => open))
        .map(([id]) => id)
        .slice(0, limit),
    turns: async ({ sessionId, limit, cursor }) => {
      const [last] = cursor === undefined ? [Infinity] : decodeCursor(cursor, z.tuple([z.number()]));
      return page(
        turnsOf(sessionId).filter((turn) => turn.ordinal < last),
        limit,
        (turn) => [turn.ordinal],
      );
    },

    calls: async (sessionId, turnId) => [...(kept.get(sessionId)?.calls.get(turnId)?.values() ?? [])].toSorted((a, b) => a.index - b.index),
    usedIds: async (sessionId, ids) => ids.filter((id) => [...(kept.get(sessionId)?.calls.values() ?? [])].some((calls) => calls.has(id))),

    events: async ({ sessionId, after, limit }) => (kept.get(sessionId)?.events ?? []).filter((event) => event.seq > after).slice(0, limit),
    range: async (sessionId) => rangeOf(kept.get(sessionId)),
    trim: async (sessionId, below) => {
      const session = kept.get(sessionId);
      if (!session) return;
      session.firstSeq = Math.max(session.firstSeq, Math.min(below.seq, rangeOf(session).last + 1));
      session.events = session.events.filter((event) => event.seq >= session.firstSeq);
      for (const turn of turnsOf(sessionId).filter(({ ordinal }) => ordinal < below.ordinal)) {
        session.turns.delete(turn.id);
        session.calls.delete(turn.id);
      }
    },

    claim: async (owner, key) => claim(owner, key),
    idempotency: async (owner, key) => reply(owner, key),
    remember,

    ping: async () => {},
    close: async () => {},
  };
}

/** A session after one commit; the one before is not changed, so that a refused commit leaves no trace. */
function applied(before: Kept | undefined, commit: Commit): Kept {
  const session = commit.session ?? before?.session;
  if (!session) throw new Error('unknown session');
  const after: Kept = before
    ? { ...structuredClone(before), session }
    : { session, turns: new Map(), calls: new Map(), events: [], firstSeq: 1 };
  if (session.id !== commit.sessionId || (commit.turn && commit.turn.sessionId !== commit.sessionId)) throw new Error('foreign row');
  for (const event of commit.events ?? []) {
    if (event.seq !== rangeOf(after).last + 1) throw new Error('gap');
    after.events.push(event);
  }
  if (commit.turn) after.turns.set(commit.turn.id, commit.turn);
  for (const call of commit.calls ?? []) {
    if (!after.turns.has(call.turnId)) throw new Error('unknown turn');
    const calls = after.calls.get(call.turnId) ?? new Map<string, CallRow>();
    after.calls.set(call.turnId, calls.set(call.toolUseId, call));
  }
  return after;
}

function rangeOf(session: Kept | undefined): { first: number; last: number } {
  const first = session?.firstSeq ?? 1;
  return { first, last: first - 1 + (session?.events.length ?? 0) };
}
