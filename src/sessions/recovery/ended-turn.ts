// A turn from what is kept of it beside the log: its row has the summary, and a row each call its input and result.
import type { CallRow, CallSummary, TurnRow } from '../../contract/index.ts';
import type { TurnDocument } from '../turn/turn-document.ts';
import { newTurnRecord, type RecordedCall, type TurnRecord } from '../turn/turn-record.ts';

/** Of a turn that has not ended, its record holds what had ended when its row was kept. */
export function recordOf(row: TurnRow, rows: readonly CallRow[]): TurnRecord {
  const { format, turn } = JSON.parse(row.document) as TurnDocument;
  const createdAt = Date.parse(turn.created_at);
  const record = newTurnRecord({ id: row.id, ordinal: row.ordinal, format, createdAt });
  if (!row.open) {
    record.status = turn.status;
    record.endedAt = createdAt + turn.duration_ms;
    record.lastSeq = turn.last_seq;
  }
  record.stop = turn.stop;
  record.batches.push(...turn.batches);
  const kept = new Map(rows.map((call) => [call.toolUseId, call]));
  for (const [index, call] of turn.calls.entries()) {
    record.calls.set(call.tool_use_id, recordedCall(call, index, kept.get(call.tool_use_id)));
  }
  return record;
}

function recordedCall(call: CallSummary, index: number, row: CallRow | undefined): RecordedCall {
  const input = row === undefined ? undefined : (JSON.parse(row.input) as unknown);
  const known = { ...call, index, input, effect: 'once' as const, starts: 0 };
  if (row === undefined || call.outcome === null) return { ...known, kept: false };
  const { content, isError: is_error, view } = row.result;
  return { ...known, view, kept: true, result: { type: 'tool_result', tool_use_id: call.tool_use_id, content, is_error } };
}
