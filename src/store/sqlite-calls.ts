import type { DatabaseSync } from 'node:sqlite';
import { query } from './sqlite-query.ts';
import type { CallColumns } from './stored-write.ts';

/** The `calls` table: each function is one statement. */
export function callTable(db: DatabaseSync) {
  const put = db.prepare(
    `insert into calls (session_id, turn_id, tool_use_id, position, name, input, result)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set position = excluded.position, name = excluded.name, input = excluded.input, result = excluded.result`,
  );
  const ofTurn = query<CallColumns>(
    db,
    `select turn_id as turnId, tool_use_id as toolUseId, position as "index", name, input, result
     from calls where session_id = ? and turn_id = ? order by position`,
  );
  const used = query<{ found: number }>(db, 'select 1 as found from calls where session_id = ? and tool_use_id = ? limit 1');

  return {
    put: (sessionId: string, { turnId, toolUseId, index, name, input, result }: CallColumns): void => {
      put.run(sessionId, turnId, toolUseId, index, name, input, result);
    },
    ofTurn: (sessionId: string, turnId: string): CallColumns[] => ofTurn.all(sessionId, turnId),
    /** Whether a call of this id, given as JSON, is there. */
    has: (sessionId: string, toolUseId: string): boolean => used.get(sessionId, toolUseId) !== undefined,
  };
}
