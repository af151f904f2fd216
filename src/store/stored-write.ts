import type { CallRow, Commit, EventRow, IdempotencyRecord, SessionRow, TurnRow } from '../contract/index.ts';
import { assertOneSession } from './commit-faults.ts';

/** A call as its table keeps it. Id and name are JSON strings, since a model may have put lone surrogates into them. */
export interface CallColumns {
  readonly turnId: string;
  readonly toolUseId: string;
  readonly index: number;
  readonly name: string;
  readonly input: string;
  readonly result: string;
}

/** A commit in a form that nobody changes any more and that both the journal and the tables take as it is. */
export interface StoredCommit {
  readonly kind: 'commit';
  readonly sessionId: string;
  readonly session?: SessionRow | undefined;
  readonly turn?: TurnRow | undefined;
  readonly calls: readonly CallColumns[];
  readonly events: readonly EventRow[];
}

export interface StoredReply {
  readonly kind: 'reply';
  readonly owner: string;
  readonly key: string;
  readonly record: IdempotencyRecord & { readonly expiresAt: number };
}

/** What the journal keeps. */
export type StoredWrite = StoredCommit | StoredReply | { readonly kind: 'removal'; readonly sessionId: string };

/** Copies what a writer hands over. @throws Error when a row names another session */
export function storedCommit(commit: Commit): StoredCommit {
  const { sessionId, events = [], calls = [], session, turn } = commit;
  assertOneSession(commit);
  return {
    kind: 'commit',
    sessionId,
    session: session && { ...session },
    turn: turn && { ...turn },
    calls: calls.map(callColumns),
    events: events.map(({ seq, json }) => ({ seq, json })),
  };
}

function callColumns({ turnId, toolUseId, index, name, input, result }: CallRow): CallColumns {
  return { turnId, toolUseId: JSON.stringify(toolUseId), index, name: JSON.stringify(name), input, result: JSON.stringify(result) };
}

/** What the columns of a call stand for. */
export function callRow({ toolUseId, name, result, ...columns }: CallColumns): CallRow {
  return {
    ...columns,
    toolUseId: JSON.parse(toolUseId) as string,
    name: JSON.parse(name) as string,
    result: JSON.parse(result) as CallRow['result'],
  };
}
