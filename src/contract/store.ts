// The port to whatever keeps sessions, turns, calls and the event log. Every store passes test/suites/store.ts.
import type { Outcome } from './outcome.ts';
import type { ResultContent } from './content.ts';
import type { View } from './view.ts';

/** A session as it is kept: indexed columns beside one JSON document. Times are milliseconds since 1970; `owner` and `createdAt` never change. */
export interface SessionRow {
  readonly id: string;
  /** Name of the key that made it; the empty string when the service runs without keys. */
  readonly owner: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** JSON of the session's settings and state. */
  readonly document: string;
}

export interface TurnRow {
  readonly sessionId: string;
  readonly id: string;
  /** Counts the turns of a session from 1. */
  readonly ordinal: number;
  /** True until the turn's last event is in the log. */
  readonly open: boolean;
  /** JSON of the turn's summary and format, where its log begins and, as long as it is open, its calls. */
  readonly document: string;
}

/** A call that has ended: its id stays taken, and its result is what a replay gives back. What a call was before that is in the log. */
export interface CallRow {
  readonly turnId: string;
  readonly toolUseId: string;
  readonly index: number;
  readonly name: string;
  /** JSON of the input as the model sent it. */
  readonly input: string;
  readonly result: { readonly outcome: Outcome; readonly isError: boolean; readonly content: ResultContent; readonly view: View };
}

export interface EventRow {
  readonly seq: number;
  /** The whole event as one line of JSON, encoded once for every reader. */
  readonly json: string;
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly nextCursor: string | null;
}

/** What one step of a turn writes, all or nothing. */
export interface Commit {
  readonly sessionId: string;
  readonly events?: readonly EventRow[];
  readonly session?: SessionRow;
  readonly turn?: TurnRow;
  readonly calls?: readonly CallRow[];
  /** Of the lease under which this is written. A store that several nodes share refuses one that is not the session's newest. */
  readonly epoch?: number;
  /**
   * While this has not fired, a store that several nodes share tries again when it is away, for a while; what may have been
   * written already is not written twice. Absent, or with any other store: a failure is told at once.
   */
  readonly until?: AbortSignal;
}

/** Nothing was written: another node has taken the session over. */
export class StaleEpochError extends Error {
  override readonly name = 'StaleEpochError';
  constructor(stale: { sessionId: string; epoch: number }) {
    super(`Session ${stale.sessionId} has been taken over: epoch ${stale.epoch} is not its newest any more.`);
  }
}

export interface IdempotencyRecord {
  readonly digest: string;
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The right to make something under an idempotency key, held by one maker at a time until it ends it or dies. */
export interface Claim {
  /**
   * Ends it: the key has this record from now on, until `expiresAt`. False, with nothing kept, when it was lost meanwhile and
   * another has the key.
   * @throws Problem `store-unavailable`
   */
  keep(record: IdempotencyRecord & { readonly expiresAt: number }): Promise<boolean>;
  /** Ends it, and the key is free again; does nothing once it has ended. Never rejects. */
  release(): Promise<void>;
}

/** What there is under an idempotency key for who asks for it: the right to make it, or what was made. */
export type Claimed = { readonly claim: Claim } | { readonly record: IdempotencyRecord };

export interface Store {
  /**
   * Writes one step durably; concurrent commits may share a transaction, and keep the order in which they were asked for.
   * Rows must not be changed until it resolves.
   * @throws StaleEpochError, with nothing written, when another node has taken the session over
   * @throws Error, with nothing written, when the session is not there, events do not follow the last seq, a call's turn
   * is not there, or a row names another session
   */
  commit(commit: Commit): Promise<void>;

  session(id: string): Promise<SessionRow | null>;
  /** Newest first, those of one owner. @param cursor as an earlier page gave it */
  sessions(query: { owner: string; limit: number; cursor?: string }): Promise<Page<SessionRow>>;
  countSessions(owner: string): Promise<number>;
  /** Ids of sessions with `expiresAt <= now`, longest over first. */
  expired(now: number, limit: number): Promise<string[]>;
  /** Ids of sessions with a turn that was never ended: unfinished work after a crash. */
  sessionsWithOpenTurns(limit: number): Promise<string[]>;
  /** Removes a session with all its turns, calls and events. */
  removeSession(id: string): Promise<void>;

  turn(sessionId: string, turnId: string): Promise<TurnRow | null>;
  latestTurn(sessionId: string): Promise<TurnRow | null>;
  /** By ordinal. */
  openTurns(sessionId: string): Promise<TurnRow[]>;
  /** Newest first. */
  turns(query: { sessionId: string; limit: number; cursor?: string }): Promise<Page<TurnRow>>;

  /** Calls of a turn that have ended, in call order. */
  calls(sessionId: string, turnId: string): Promise<CallRow[]>;
  /** Which of these ids calls that have ended have used, in any turn of the session. */
  usedIds(sessionId: string, toolUseIds: readonly string[]): Promise<string[]>;

  /** Events with `seq` greater than `after`, in order; fewer than `limit` where they are large, and none only when there are none. */
  events(query: { sessionId: string; after: number; limit: number }): Promise<EventRow[]>;
  /** First and last `seq` that are kept; `{first: last + 1, last}` when none are, so `{first: 1, last: 0}` for a new session. */
  range(sessionId: string): Promise<{ first: number; last: number }>;
  /** Drops events below `seq`, and turns (with their calls) whose ordinal is below `ordinal`. */
  trim(sessionId: string, below: { seq: number; ordinal: number }): Promise<void>;

  /** Takes a key where nothing was made under it yet; `null` while somebody else makes it, at this node or another. */
  claim(owner: string, key: string): Promise<Claimed | null>;
  idempotency(owner: string, key: string): Promise<IdempotencyRecord | null>;
  /** Keeps the first reply under a key until `expiresAt`; false when the key is taken. */
  remember(owner: string, key: string, record: IdempotencyRecord & { expiresAt: number }): Promise<boolean>;

  /** True while all that is asked for fails at once. Absent where the store is part of the process. */
  readonly away?: () => boolean;
  /** Throws when the store cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
