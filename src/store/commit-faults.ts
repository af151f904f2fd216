// Why a commit is refused, whatever store it goes to.
import type { Commit, EventRow } from '../contract/index.ts';

/** @throws Error when a row names another session */
export function assertOneSession({ sessionId, session, turn }: Commit): void {
  for (const named of [session?.id, turn?.sessionId]) {
    if (named !== undefined && named !== sessionId) throw new Error(`A commit of session ${sessionId} holds a row of session ${named}.`);
  }
}

/** @throws Error when the events are not numbered from `first` on, without a gap */
export function assertNumbered(sessionId: string, events: readonly EventRow[], first: number): void {
  for (const [offset, { seq }] of events.entries()) if (seq !== first + offset) throw wrongSeq(sessionId, first + offset, seq);
}

export function wrongSeq(sessionId: string, next: number | string, seq: number | undefined): Error {
  return new Error(`The next event of session ${sessionId} must have seq ${next}, not ${seq}.`);
}

export function noSession(sessionId: string): Error {
  return new Error(`Session ${sessionId} is not in the store: its row must be in this commit or an earlier one.`);
}
