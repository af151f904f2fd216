// What is known of a session without asking a table: enough to say of the usual commit that it fits. Whatever is not known
// to fit is left to the tables, which have the last word and the reasons.
import { SEQ_SPACE } from './sqlite-events.ts';
import type { Tables } from './sqlite-tables.ts';
import type { StoredCommit } from './stored-write.ts';

/** A session after all commits so far. */
export interface SessionView {
  readonly owner: string;
  /** Number of its last event. */
  readonly last: number;
  /** The highest ordinal that its turns had. */
  readonly topOrdinal: number;
  /** Ordinals of its open turns, by id. */
  readonly openTurns: ReadonlyMap<string, number>;
}

/** Reads what the tables have of a session; `undefined` when they do not have it. */
export function readView({ sessions, events, turns }: Tables, sessionId: string): SessionView | undefined {
  const row = sessions.get(sessionId);
  if (row === null) return undefined;
  const openTurns = new Map(turns.open(sessionId).map(({ id, ordinal }) => [id, ordinal]));
  return {
    owner: row.owner,
    last: events.range(sessionId).last,
    topOrdinal: turns.topOrdinal(sessionId),
    openTurns,
  };
}

/** The session after one more commit; `undefined` when the view does not tell that the commit fits. */
export function viewAfter(before: SessionView | undefined, { session, events, turn, calls }: StoredCommit): SessionView | undefined {
  const view = before ?? (session && { owner: session.owner, last: 0, topOrdinal: 0, openTurns: new Map<string, number>() });
  if (view === undefined) return undefined;

  const last = view.last + events.length;
  if (last + 1 >= SEQ_SPACE || events.some(({ seq }, offset) => seq !== view.last + 1 + offset)) return undefined;

  const turnFits = turn === undefined || turn.ordinal > view.topOrdinal || view.openTurns.get(turn.id) === turn.ordinal;
  if (!turnFits || !calls.every(({ turnId }) => turnId === turn?.id || view.openTurns.has(turnId))) return undefined;

  if (turn === undefined) return { ...view, last };
  const openTurns = new Map(view.openTurns);
  if (turn.open) openTurns.set(turn.id, turn.ordinal);
  else openTurns.delete(turn.id);
  return { ...view, last, topOrdinal: Math.max(view.topOrdinal, turn.ordinal), openTurns };
}
