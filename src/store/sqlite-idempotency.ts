import type { DatabaseSync } from 'node:sqlite';
import type { IdempotencyRecord } from '../contract/index.ts';
import { query } from './sqlite-query.ts';

/** Each record that comes in takes at most this many expired ones out, so that none of them pays for all. */
const PURGE_ROWS = 100;

type Columns = Omit<IdempotencyRecord, 'headers'> & { headers: string };

/** The `idempotency` table: a record whose time is over counts as absent. */
export function idempotencyTable(db: DatabaseSync) {
  const purge = db.prepare(
    `delete from idempotency where rowid in (select rowid from idempotency where expires_at <= ? limit ${PURGE_ROWS})`,
  );
  const put = db.prepare(
    `insert into idempotency (owner, key, digest, status, body, headers, expires_at) values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set digest = excluded.digest, status = excluded.status, body = excluded.body,
       headers = excluded.headers, expires_at = excluded.expires_at
     where expires_at <= ?`,
  );
  const live = query<Columns>(db, 'select digest, status, body, headers from idempotency where owner = ? and key = ? and expires_at > ?');

  return {
    get: (owner: string, key: string): IdempotencyRecord | null => {
      const columns = live.get(owner, key, Date.now());
      return columns ? { ...columns, headers: JSON.parse(columns.headers) as IdempotencyRecord['headers'] } : null;
    },
    /** False when the key is taken. */
    put: (owner: string, key: string, record: IdempotencyRecord & { expiresAt: number }): boolean => {
      const now = Date.now();
      purge.run(now);
      const { digest, status, body, headers, expiresAt } = record;
      return put.run(owner, key, digest, status, body, JSON.stringify(headers), expiresAt, now).changes === 1;
    },
  };
}
