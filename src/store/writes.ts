// What is written through the journal, and the reads that go on while it is pending: nothing here asks a table for what is
// known already, and only rarely makes one be written.
import type { Commit, EventRow, IdempotencyRecord } from '../contract/index.ts';
import type { Journal } from './journal.ts';
import { knownSessions } from './known-sessions.ts';
import { addWrite, applyPending, nothingPending, pendingEvents, replyName } from './pending.ts';
import { readView, viewAfter, type SessionView } from './session-view.ts';
import type { Tables } from './sqlite-tables.ts';
import { storedCommit, type StoredReply } from './stored-write.ts';

/** The writing of a store, and what it answers without waiting for its tables. */
export function openWrites(journal: Journal, tables: Tables) {
  const known = knownSessions();

  /** A session after all writes so far; `undefined` when it is not there. */
  const viewOf = (sessionId: string): SessionView | undefined => {
    let view = known.view(sessionId);
    if (view === undefined) {
      journal.settle(sessionId);
      view = readView(tables, sessionId);
      if (view) known.learn(sessionId, view);
    }
    return view;
  };

  /** Changes a session's rows in the tables, which judge whether that fits. */
  const writeAtOnce = (sessionId: string, work: () => void): void => {
    journal.write(work);
    known.forget(sessionId);
  };

  const reply = (owner: string, key: string): IdempotencyRecord | null => {
    const pending = journal.pending.replies.get(replyName(owner, key))?.record;
    if (pending === undefined || pending.expiresAt <= Date.now()) return tables.idempotency.get(owner, key);
    const { expiresAt: _, ...kept } = pending;
    return kept;
  };

  return {
    commit(asked: Commit): void {
      const commit = storedCommit(asked);
      const from = viewOf(commit.sessionId);
      const to = viewAfter(from, commit);
      if (to) {
        journal.append(commit, from === undefined);
        known.change(commit.sessionId, { from, to });
      } else {
        const alone = nothingPending();
        addWrite(alone, commit, { bytes: 0 });
        writeAtOnce(commit.sessionId, () => applyPending(tables, alone));
      }
    },

    removeSession(sessionId: string): void {
      const from = viewOf(sessionId);
      if (from === undefined) return;
      journal.append({ kind: 'removal', sessionId });
      known.change(sessionId, { from, to: undefined });
    },

    trim: (sessionId: string, below: { seq: number; ordinal: number }): void =>
      writeAtOnce(sessionId, () => {
        tables.events.trim(sessionId, below.seq);
        tables.turns.trim(sessionId, below.ordinal);
      }),

    /** The reply that is kept under a key, until its time is over. */
    reply,

    /** Keeps a reply under a key; false when the key is taken. */
    remember(owner: string, key: string, record: StoredReply['record']): boolean {
      if (reply(owner, key) !== null) return false;
      journal.append({ kind: 'reply', owner, key, record: { ...record, headers: { ...record.headers } } });
      return true;
    },

    /** Which of these ids calls of the session that have ended have used. */
    usedIds(sessionId: string, toolUseIds: readonly string[]): string[] {
      const pending = journal.pending.sessions.get(sessionId);
      return toolUseIds.filter((toolUseId) => {
        const id = JSON.stringify(toolUseId);
        return pending?.toolUseIds.has(id) || (!pending?.removed && tables.calls.has(sessionId, id));
      });
    },

    /** Events after a number. */
    events(query: { sessionId: string; after: number; limit: number }): EventRow[] {
      const pending = pendingEvents(journal.pending, query);
      if (pending) return pending;
      journal.settle(query.sessionId);
      return tables.events.after(query);
    },

    countSessions(owner: string): number {
      let count = known.count(owner);
      if (count === undefined) {
        journal.settle();
        count = tables.sessions.count(owner);
        known.learnCount(owner, count);
      }
      return count;
    },
  };
}
