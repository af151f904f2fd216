import type { CallRow, EventRow, SessionRow, Store, TurnRow } from '../../src/contract/index.ts';

const FAR_AWAY = Date.UTC(2100, 0);

/** A row of a session; what a test is about is given, the rest does not matter to it. */
export function sessionRow(id: string, changes: Partial<SessionRow> = {}): SessionRow {
  return { id, owner: 'anna', createdAt: 1_000, expiresAt: FAR_AWAY, document: '{}', ...changes };
}

/** A row of an open turn whose id follows from its ordinal. */
export function turnRow(sessionId: string, ordinal: number, changes: Partial<TurnRow> = {}): TurnRow {
  return { sessionId, id: turnId(ordinal), ordinal, open: true, document: '{}', ...changes };
}

export function turnId(ordinal: number): string {
  return `turn_${ordinal}`;
}

/** A row of an ended call of the turn with this ordinal. */
export function callRow(ordinal: number, toolUseId: string, changes: Partial<CallRow> = {}): CallRow {
  return {
    turnId: turnId(ordinal),
    toolUseId,
    index: 0,
    name: 'Read',
    input: '{"file_path":"a.txt"}',
    result: { outcome: 'ok', isError: false, content: 'done', view: { title: 'Read' } },
    ...changes,
  };
}

/** Events with consecutive numbers. */
export function eventRows(first: number, count: number): EventRow[] {
  return Array.from({ length: count }, (_, offset) => eventRow(first + offset));
}

export function eventRow(seq: number, data: unknown = 'x'): EventRow {
  return { seq, json: JSON.stringify({ seq, type: 'test', data }) };
}

/** Follows a list by its cursors from the first page to the last. */
export async function allPages<Row>(
  fetchPage: (cursor: { cursor?: string }) => Promise<{ rows: Row[]; nextCursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await fetchPage(cursor === undefined ? {} : { cursor });
    rows.push(...page.rows);
    cursor = page.nextCursor;
  }
  return rows;
}

/** All that a store tells of one session. */
export async function everythingOf(store: Store, sessionId: string) {
  const turns = await allPages((cursor) => store.turns({ sessionId, limit: 100, ...cursor }));
  return {
    session: await store.session(sessionId),
    turns,
    latestTurn: await store.latestTurn(sessionId),
    openTurns: await store.openTurns(sessionId),
    calls: await Promise.all(turns.map((turn) => store.calls(sessionId, turn.id))),
    range: await store.range(sessionId),
    events: await store.events({ sessionId, after: 0, limit: 10_000 }),
  };
}
