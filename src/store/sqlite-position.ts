import type { DatabaseSync } from 'node:sqlite';
import { query } from './sqlite-query.ts';

/** The `position` table, one row: the number of the last write that the tables have. */
export function positionTable(db: DatabaseSync) {
  const put = db.prepare('update position set applied = ?');
  const applied = query<{ applied: number }>(db, 'select applied from position');

  return {
    set: (position: number): void => {
      put.run(position);
    },
    get: (): number => applied.get()?.applied ?? 0,
  };
}
