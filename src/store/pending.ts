// What the journal has and the tables do not have yet, merged by session: what was written twice is applied once, and a
// session that came and went never reaches the tables.
import type { EventRow, SessionRow, TurnRow } from '../contract/index.ts';
import type { Tables } from './sqlite-tables.ts';
import type { CallColumns, StoredCommit, StoredReply, StoredWrite } from './stored-write.ts';

export interface Pending {
  readonly sessions: Map<string, PendingSession>;
  /** By {@link replyName}. */
  readonly replies: Map<string, StoredReply>;
  /** About as many rows as applying it writes. */
  rows: number;
  /** Size in the journal. */
  bytes: number;
}

interface PendingSession {
  /** What the tables have of it goes first. */
  readonly removed: boolean;
  /** The tables have nothing of it. */
  readonly fresh: boolean;
  rows: number;
  row: SessionRow | undefined;
  readonly events: EventRow[];
  /** By id. */
  readonly turns: Map<string, TurnRow>;
  readonly calls: CallColumns[];
  /** Of the calls, as JSON. */
  readonly toolUseIds: Set<string>;
}

export function nothingPending(): Pending {
  return { sessions: new Map(), replies: new Map(), rows: 0, bytes: 0 };
}

/**
 * Adds a write that is known to fit to what is there.
 * @param known `bytes`: its size in the journal; `fresh`: the tables have nothing of its session
 */
export function addWrite(pending: Pending, write: StoredWrite, known: { bytes: number; fresh?: boolean }): void {
  pending.bytes += known.bytes;
  switch (write.kind) {
    case 'commit':
      return addCommit(pending, write, known.fresh ?? false);
    case 'removal':
      return addRemoval(pending, write.sessionId);
    case 'reply':
      pending.rows += 1;
      pending.replies.set(replyName(write.owner, write.key), write);
  }
}

function addCommit(pending: Pending, commit: StoredCommit, fresh: boolean): void {
  const session = pending.sessions.get(commit.sessionId) ?? pendingSession({ fresh });
  if (session.rows === 0) pending.sessions.set(commit.sessionId, session);
  const before = session.rows;
  session.row = commit.session ?? session.row;
  if (commit.turn) session.turns.set(commit.turn.id, commit.turn);
  for (const call of commit.calls) {
    session.calls.push(call);
    session.toolUseIds.add(call.toolUseId);
  }
  for (const event of commit.events) session.events.push(event);
  session.rows = 1 + session.turns.size + session.calls.length;
  pending.rows += session.rows - before;
}

function addRemoval(pending: Pending, sessionId: string): void {
  const session = pending.sessions.get(sessionId);
  pending.rows -= session?.rows ?? 0;
  pending.sessions.delete(sessionId);
  if (session?.fresh) return;
  pending.rows += 1;
  pending.sessions.set(sessionId, { ...pendingSession({ removed: true }), rows: 1 });
}

function pendingSession({ fresh = false, removed = false }): PendingSession {
  return { removed, fresh, rows: 0, row: undefined, events: [], turns: new Map(), calls: [], toolUseIds: new Set() };
}

/** What the tables are to get, and nothing that only a look at what is pending needs. */
export interface Batch {
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly removed: boolean;
    readonly row: SessionRow | undefined;
    readonly events: readonly EventRow[];
    readonly turns: readonly TurnRow[];
    readonly calls: readonly CallColumns[];
  }[];
  readonly replies: readonly StoredReply[];
}

export function batchOf({ sessions, replies }: Pending): Batch {
  return {
    sessions: Array.from(sessions, ([sessionId, { removed, row, events, turns, calls }]) => ({
      sessionId,
      removed,
      row,
      events,
      turns: [...turns.values()],
      calls,
    })),
    replies: [...replies.values()],
  };
}

/** Writes it all into the tables, rows before those that refer to them. @throws Error when something does not fit after all */
export function applyBatch(tables: Tables, { sessions, replies }: Batch): void {
  for (const { sessionId, removed, row, events, turns, calls } of sessions) {
    if (removed) tables.removeSession(sessionId);
    if (removed && row === undefined) continue;
    if (row) tables.sessions.put(row);
    tables.events.append(sessionId, events);
    for (const turn of turns) tables.turns.put(turn);
    for (const call of calls) tables.calls.put(sessionId, call);
  }
  for (const { owner, key, record } of replies) tables.idempotency.put(owner, key, record);
}

/** Events after a number, when all that are asked for are still pending. */
export function pendingEvents(pending: Pending, request: { sessionId: string; after: number; limit: number }): EventRow[] | undefined {
  const events = pending.sessions.get(request.sessionId)?.events ?? [];
  const from = request.after + 1 - (events[0]?.seq ?? Infinity);
  return from < 0 ? undefined : events.slice(from, from + request.limit);
}

/** One name for two strings, whatever is in them. */
export function replyName(owner: string, key: string): string {
  return JSON.stringify([owner, key]);
}
