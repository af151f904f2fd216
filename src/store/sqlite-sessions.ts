import type { DatabaseSync } from 'node:sqlite';
import type { SessionRow } from '../contract/index.ts';
import { query } from './sqlite-query.ts';

const COLUMNS = 'id, owner, created_at as createdAt, expires_at as expiresAt, document';

/** The `sessions` table: each function is one statement. Rows are copied, since SQLite's have no prototype. */
export function sessionTable(db: DatabaseSync) {
  const put = db.prepare(
    `insert into sessions (id, owner, created_at, expires_at, document) values (?, ?, ?, ?, ?)
     on conflict (id) do update set expires_at = excluded.expires_at, document = excluded.document`,
  );
  const remove = db.prepare('delete from sessions where id = ?');
  const byId = query<SessionRow>(db, `select ${COLUMNS} from sessions where id = ?`);
  const newest = query<SessionRow>(
    db,
    `select ${COLUMNS} from sessions where owner = ? and (created_at, id) < (?, ?)
     order by created_at desc, id desc limit ?`,
  );
  const count = query<{ count: number }>(db, 'select count(*) as count from sessions where owner = ?');
  const expired = query<{ id: string }>(db, 'select id from sessions where expires_at <= ? order by expires_at, id limit ?');

  return {
    put: (row: SessionRow): void => {
      put.run(row.id, row.owner, row.createdAt, row.expiresAt, row.document);
    },
    remove: (id: string): void => {
      remove.run(id);
    },
    get: (id: string): SessionRow | null => {
      const row = byId.get(id);
      return row ? { ...row } : null;
    },
    /** Newest first, behind this time and id. */
    page: (owner: string, [createdAt, id]: readonly [number, string], limit: number): SessionRow[] =>
      newest.all(owner, createdAt, id, limit).map((row) => ({ ...row })),
    count: (owner: string): number => count.get(owner)?.count ?? 0,
    expired: (now: number, limit: number): string[] => expired.all(now, limit).map((row) => row.id),
  };
}
