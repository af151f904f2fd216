// What is written through the journal, and the reads that go on while it is pending: nothing here asks the tables for what is
// known already, and only rarely makes one be written.
import { inSequence, type Commit, type EventRow, type IdempotencyRecord } from '../contract/index.ts';
import type { SqliteThread } from './ask-sqlite.ts';
import type { Journal } from './journal.ts';
import { knownSessions } from './known-sessions.ts';
import { addWrite, batchOf, nothingPending, pendingEvents, replyName } from './pending.ts';
import { viewAfter, type SessionView } from './session-view.ts';
import { storedCommit, type StoredReply, type StoredWrite } from './stored-write.ts';

/** The writing of a store, and what it answers without waiting for its tables. Of one session, one write comes after another. */
export function openWrites(journal: Journal, ask: SqliteThread['ask']) {
  const known = knownSessions();
  const inTurn = inSequence();

  /** A session after all writes so far, at once where it is known; `undefined` when it is not there. */
  const viewOf = (sessionId: string): SessionView | undefined | Promise<SessionView | undefined> =>
    known.view(sessionId) ?? learnView(sessionId);

  const learnView = async (sessionId: string): Promise<SessionView | undefined> => {
    await journal.settle(sessionId);
    const read = await ask('view', sessionId);
    if (read) known.learn(sessionId, read);
    return read;
  };

  /** Changes a session's rows in the tables, which judge whether that fits. */
  const writeAtOnce = async (sessionId: string, write: (position: number) => Promise<void>): Promise<void> => {
    await journal.alone(write);
    known.forget(sessionId);
  };

  const append = async (write: StoredWrite, then: () => void, fresh = false): Promise<void> => {
    while (!journal.hasRoom) await journal.room();
    journal.append(write, fresh);
    then();
  };

  const reply = async (owner: string, key: string): Promise<IdempotencyRecord | null> => {
    const name = replyName(owner, key);
    const pending = journal.pending.map(({ replies }) => replies.get(name)?.record).find((record) => record !== undefined);
    if (pending === undefined || pending.expiresAt <= Date.now()) return ask('reply', owner, key);
    const { expiresAt: _, ...kept } = pending;
    return kept;
  };

  return {
    async commit(asked: Commit): Promise<void> {
      const commit = storedCommit(asked);
      const { sessionId } = commit;
      const from = await viewOf(sessionId);
      const to = viewAfter(from, commit);
      if (to) return append(commit, () => known.change(sessionId, { from, to }), from === undefined);
      const alone = nothingPending();
      addWrite(alone, commit, { bytes: 0 });
      return writeAtOnce(sessionId, (position) => ask('apply', batchOf(alone), position));
    },

    async removeSession(sessionId: string): Promise<void> {
      const from = await viewOf(sessionId);
      if (from === undefined) return;
      await append({ kind: 'removal', sessionId }, () => known.change(sessionId, { from, to: undefined }));
    },

    trim: (sessionId: string, below: { seq: number; ordinal: number }): Promise<void> =>
      writeAtOnce(sessionId, (position) => ask('trim', sessionId, below, position)),

    /** The reply that is kept under a key, until its time is over. */
    reply,

    /** Keeps a reply under a key; false when the key is taken. */
    remember: (owner: string, key: string, record: StoredReply['record']): Promise<boolean> =>
      inTurn(replyName(owner, key), async () => {
        if ((await reply(owner, key)) !== null) return false;
        await append({ kind: 'reply', owner, key, record: { ...record, headers: { ...record.headers } } }, () => {});
        return true;
      }),

    /** Which of these ids calls of the session that have ended have used. */
    async usedIds(sessionId: string, toolUseIds: readonly string[]): Promise<string[]> {
      const pending = journal.pending.flatMap(({ sessions }) => sessions.get(sessionId) ?? []);
      // What comes before a removal is no longer there.
      const removal = pending.findIndex(({ removed }) => removed);
      const since = removal === -1 ? pending : pending.slice(0, removal + 1);
      const ids = toolUseIds.map((toolUseId) => JSON.stringify(toolUseId));
      const used = new Set(ids.filter((id) => since.some((session) => session.toolUseIds.has(id))));
      const open = removal === -1 ? ids.filter((id) => !used.has(id)) : [];
      if (open.length > 0) for (const id of await ask('usedIds', sessionId, open)) used.add(id);
      return toolUseIds.filter((_, index) => used.has(ids[index] ?? ''));
    },

    /** Events after a number. */
    async events(query: { sessionId: string; after: number; limit: number }): Promise<EventRow[]> {
      const pending = journal.pending[0] && pendingEvents(journal.pending[0], query);
      if (pending) return pending;
      await journal.settle(query.sessionId);
      return ask('events', query);
    },

    async countSessions(owner: string): Promise<number> {
      const count = known.count(owner);
      if (count !== undefined) return count;
      const before = known.comings;
      await journal.settle();
      const read = await ask('countSessions', owner);
      // What has come or gone meanwhile may be in it or not.
      if (known.comings === before) known.learnCount(owner, read);
      return read;
    },
  };
}
