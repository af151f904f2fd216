import type { DatabaseSync } from 'node:sqlite';
import type { TurnRow } from '../contract/index.ts';
import { query } from './sqlite-query.ts';

const COLUMNS = 'session_id as sessionId, id, ordinal, open, document';

type Columns = Omit<TurnRow, 'open'> & { open: number };

/** The `turns` table: each function is one statement. */
export function turnTable(db: DatabaseSync) {
  const put = db.prepare(
    `insert into turns (session_id, id, ordinal, open, document) values (?, ?, ?, ?, ?)
     on conflict (session_id, id) do update set ordinal = excluded.ordinal, open = excluded.open, document = excluded.document`,
  );
  const trim = db.prepare('delete from turns where session_id = ? and ordinal < ?');
  const byId = query<Columns>(db, `select ${COLUMNS} from turns where session_id = ? and id = ?`);
  const open = query<Columns>(db, `select ${COLUMNS} from turns where session_id = ? and open = 1 order by ordinal`);
  const top = query<{ ordinal: number | null }>(db, 'select max(ordinal) as ordinal from turns where session_id = ?');
  const unfinished = query<{ sessionId: string }>(db, 'select distinct session_id as sessionId from turns where open = 1 limit ?');
  const newest = query<Columns>(db, `select ${COLUMNS} from turns where session_id = ? and ordinal < ? order by ordinal desc limit ?`);

  return {
    put: (row: TurnRow): void => {
      put.run(row.sessionId, row.id, row.ordinal, Number(row.open), row.document);
    },
    /** Drops turns below an ordinal, and their calls with them. */
    trim: (sessionId: string, ordinal: number): void => {
      trim.run(sessionId, ordinal);
    },
    get: (sessionId: string, turnId: string): TurnRow | null => {
      const columns = byId.get(sessionId, turnId);
      return columns ? turnRow(columns) : null;
    },
    latest: (sessionId: string): TurnRow | null => {
      const columns = newest.get(sessionId, Number.MAX_SAFE_INTEGER, 1);
      return columns ? turnRow(columns) : null;
    },
    /** The highest ordinal of a session's turns; 0 when it has none. */
    topOrdinal: (sessionId: string): number => top.get(sessionId)?.ordinal ?? 0,
    open: (sessionId: string): TurnRow[] => open.all(sessionId).map(turnRow),
    sessionsWithOpen: (limit: number): string[] => unfinished.all(limit).map(({ sessionId }) => sessionId),
    /** Newest first, behind this ordinal. */
    page: (sessionId: string, below: number, limit: number): TurnRow[] => newest.all(sessionId, below, limit).map(turnRow),
  };
}

function turnRow(columns: Columns): TurnRow {
  return { ...columns, open: columns.open === 1 };
}
