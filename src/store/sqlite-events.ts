import type { DatabaseSync } from 'node:sqlite';
import type { EventRow } from '../contract/index.ts';
import { query } from './sqlite-query.ts';

/** The `events` table, whose rows have no gap between a session's `first_seq` and its end. */
export function eventTable(db: DatabaseSync) {
  const insert = db.prepare('insert into events (session_id, seq, json) values (?, ?, ?)');
  const drop = db.prepare('delete from events where session_id = ? and seq < ?');
  const raise = db.prepare('update sessions set first_seq = ? where id = ?');
  const after = query<EventRow>(db, 'select seq, json from events where session_id = ? and seq > ? order by seq limit ?');
  const range = query<{ first: number; last: number }>(
    db,
    `select first_seq as first, coalesce((select max(seq) from events where session_id = sessions.id), first_seq - 1) as last
     from sessions where id = ?`,
  );

  return {
    /** @throws Error when the session is not there, or when the events do not follow the last one without a gap. */
    append: (sessionId: string, events: readonly EventRow[]): void => {
      const kept = range.get(sessionId);
      if (!kept) throw new Error(`Session ${sessionId} is not in the store: its row must be in this commit or an earlier one.`);
      let next = kept.last + 1;
      for (const { seq, json } of events) {
        if (seq !== next) throw new Error(`The next event of session ${sessionId} must have seq ${next}, not ${seq}.`);
        insert.run(sessionId, seq, json);
        next += 1;
      }
    },
    after: (request: { sessionId: string; after: number; limit: number }): EventRow[] =>
      after.all(request.sessionId, request.after, request.limit).map((row) => ({ ...row })),
    range: (sessionId: string): { first: number; last: number } => ({ first: 1, last: 0, ...range.get(sessionId) }),
    trim: (sessionId: string, seq: number): void => {
      const kept = range.get(sessionId);
      if (!kept || seq <= kept.first) return;
      drop.run(sessionId, seq);
      raise.run(Math.min(seq, kept.last + 1), sessionId);
    },
  };
}
