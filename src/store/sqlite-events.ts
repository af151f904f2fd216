import type { DatabaseSync } from 'node:sqlite';
import type { EventRow } from '../contract/index.ts';
import { assertNumbered, noSession } from './commit-faults.ts';
import { eventLines } from './event-lines.ts';
import { query } from './sqlite-query.ts';

/** Numbers an event within its session; what is above it is the session's number. */
export const SEQ_SPACE = 2 ** 27;
/** Characters after which a page of events ends, so that huge events do not add up. */
const PAGE_CHARS = 2_000_000;
const CHUNKS_AT_ONCE = 8;

interface Kept {
  /** Id of the session's event 0, which there never is. */
  readonly base: number;
  readonly first: number;
  readonly last: number;
}

interface Chunk {
  readonly id: number;
  readonly json: string;
}

/**
 * The `events` table. Events written at once are one row, a line each, under the number of the first: a row costs as
 * much as four times its events. Rows have no gap between a session's `first_seq` and its end.
 */
export function eventTable(db: DatabaseSync) {
  const insert = db.prepare('insert into events (id, count, json) values (?, ?, ?)');
  const drop = db.prepare('delete from events where id > ? and id + count <= ?');
  const raise = db.prepare('update sessions set first_seq = ? where id = ?');
  const holding = query<{ id: number }>(db, 'select id from events where id > ? and id <= ? order by id desc limit 1');
  const after = query<Chunk>(db, 'select id, json from events where id >= ? and id < ? order by id limit ?');
  const kept = query<Kept>(
    db,
    `select base, first_seq as first,
       coalesce((select id + count - 1 from events where id > base and id < base + ${SEQ_SPACE} order by id desc limit 1) - base, first_seq - 1) as last
     from (select number * ${SEQ_SPACE} as base, first_seq from sessions where id = ?)`,
  );

  return {
    /** @throws Error when the session is not there or full, or when the events do not follow the last one without a gap. */
    append: (sessionId: string, events: readonly EventRow[]): void => {
      const log = kept.get(sessionId);
      if (!log) throw noSession(sessionId);
      const start = log.last + 1;
      assertNumbered(sessionId, events, start);
      if (start + events.length > SEQ_SPACE) throw new Error(`The log of session ${sessionId} is full: make a new session.`);
      for (const { first, count, text } of eventLines(events)) insert.run(log.base + first, count, text);
    },
    after: (request: { sessionId: string; after: number; limit: number }): EventRow[] => {
      const log = kept.get(request.sessionId);
      if (!log) return [];
      const next = log.base + Math.min(Math.max(request.after + 1, log.first), SEQ_SPACE - 1);
      const from = holding.get(log.base, next)?.id ?? next;
      const found: EventRow[] = [];
      let chars = 0;
      for (let id = from; found.length < request.limit && chars < PAGE_CHARS;) {
        const chunks = after.all(id, log.base + SEQ_SPACE, CHUNKS_AT_ONCE);
        for (const chunk of chunks) {
          chars += chunk.json.length;
          for (const [offset, json] of chunk.json.split('\n').entries()) {
            const seq = chunk.id + offset - log.base;
            if (seq >= next - log.base) found.push({ seq, json });
          }
        }
        const last = chunks.at(-1);
        if (last === undefined) break;
        id = last.id + 1;
      }
      return found.slice(0, request.limit);
    },
    range: (sessionId: string): { first: number; last: number } => {
      const { first, last } = kept.get(sessionId) ?? { first: 1, last: 0 };
      return { first, last };
    },
    trim: (sessionId: string, seq: number): void => {
      const log = kept.get(sessionId);
      if (!log || seq <= log.first) return;
      const first = Math.min(seq, log.last + 1);
      drop.run(log.base, log.base + first);
      raise.run(first, sessionId);
    },
    /** Takes a session's whole log away. */
    remove: (sessionId: string): void => {
      const log = kept.get(sessionId);
      if (log) drop.run(log.base, log.base + SEQ_SPACE);
    },
  };
}
