import type { DatabaseSync } from 'node:sqlite';
import type { CallRow } from '../contract/index.ts';
import { query } from './sqlite-query.ts';

type Columns = Omit<CallRow, 'result'> & { result: string };

/** The `calls` table: each function is one statement. */
export function callTable(db: DatabaseSync) {
  const put = db.prepare(
    `insert into calls (session_id, turn_id, tool_use_id, position, name, input, result)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set position = excluded.position, name = excluded.name, input = excluded.input, result = excluded.result`,
  );
  const ofTurn = query<Columns>(
    db,
    `select turn_id as turnId, tool_use_id as toolUseId, position as "index", name, input, result
     from calls where session_id = ? and turn_id = ? order by position`,
  );
  const used = query<{ found: number }>(db, 'select 1 as found from calls where session_id = ? and tool_use_id = ? limit 1');

  return {
    put: (sessionId: string, row: CallRow): void => {
      const [toolUseId, name] = [JSON.stringify(row.toolUseId), JSON.stringify(row.name)];
      put.run(sessionId, row.turnId, toolUseId, row.index, name, row.input, JSON.stringify(row.result));
    },
    ofTurn: (sessionId: string, turnId: string): CallRow[] => ofTurn.all(sessionId, turnId).map(callRow),
    used: (sessionId: string, toolUseIds: readonly string[]): string[] =>
      toolUseIds.filter((id) => used.get(sessionId, JSON.stringify(id)) !== undefined),
  };
}

function callRow({ result, ...columns }: Columns): CallRow {
  return {
    ...columns,
    toolUseId: JSON.parse(columns.toolUseId) as string,
    name: JSON.parse(columns.name) as string,
    result: JSON.parse(result) as CallRow['result'],
  };
}
