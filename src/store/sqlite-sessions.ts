import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Page, SessionRow } from '../contract/index.ts';
import { decodeCursor, page } from './cursor.ts';
import { query } from './sqlite-query.ts';

const COLUMNS = 'id, owner, created_at as createdAt, expires_at as expiresAt, closed, document';
const CURSOR = z.tuple([z.int(), z.string()]);
/** Sorts before every session. */
const START: z.infer<typeof CURSOR> = [Number.MAX_SAFE_INTEGER, ''];

type Columns = Omit<SessionRow, 'closed'> & { closed: number };

/** The `sessions` table: each function is one statement. */
export function sessionTable(db: DatabaseSync) {
  const put = db.prepare(
    `insert into sessions (id, owner, created_at, expires_at, closed, document) values (?, ?, ?, ?, ?, ?)
     on conflict (id) do update set owner = excluded.owner, created_at = excluded.created_at,
       expires_at = excluded.expires_at, closed = excluded.closed, document = excluded.document`,
  );
  const remove = db.prepare('delete from sessions where id = ?');
  const byId = query<Columns>(db, `select ${COLUMNS} from sessions where id = ?`);
  const newest = query<Columns>(
    db,
    `select ${COLUMNS} from sessions where owner = ? and closed = 0 and (created_at, id) < (?, ?)
     order by created_at desc, id desc limit ?`,
  );
  const count = query<{ count: number }>(db, 'select count(*) as count from sessions where owner = ? and closed = 0');
  const expired = query<{ id: string }>(db, 'select id from sessions where expires_at <= ? order by expires_at, id limit ?');

  return {
    put: (row: SessionRow): void => {
      put.run(row.id, row.owner, row.createdAt, row.expiresAt, Number(row.closed), row.document);
    },
    remove: (id: string): void => {
      remove.run(id);
    },
    get: (id: string): SessionRow | null => {
      const columns = byId.get(id);
      return columns ? sessionRow(columns) : null;
    },
    page: (request: { owner: string; limit: number; cursor?: string }): Page<SessionRow> => {
      const [createdAt, id] = request.cursor === undefined ? START : decodeCursor(request.cursor, CURSOR);
      const rows = newest.all(request.owner, createdAt, id, request.limit + 1).map(sessionRow);
      return page(rows, request.limit, (last) => [last.createdAt, last.id]);
    },
    count: (owner: string): number => count.get(owner)?.count ?? 0,
    expired: (now: number, limit: number): string[] => expired.all(now, limit).map((row) => row.id),
  };
}

function sessionRow(columns: Columns): SessionRow {
  return { ...columns, closed: columns.closed === 1 };
}
