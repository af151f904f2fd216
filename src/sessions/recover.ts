// After a crash: turns that were open when the service ended are brought to their end, so that every call has exactly
// one result. The turn is folded again from its part of the log; what was finished is given again, what may have begun
// is `outcome_unknown`, and nothing runs twice.
import type { EventRow, LoggedEvent, LoggedEventBody, Store, ToolUse, TurnRow, View } from '../contract/index.ts';
import { wrapToolError } from '../engine/sanitize-error.ts';
import type { EventLog } from './event-log.ts';
import { ending, type TurnDocument } from './run-turn.ts';
import { applyEvent, newTurnRecord, type RecordedCall, type TurnRecord } from './turn-record.ts';

const PAGE_EVENTS = 500;

/** @throws Problem `store-unavailable` */
export async function recoverOpenTurns(sessionId: string, log: EventLog, store: Store): Promise<void> {
  for (const row of await store.openTurns(sessionId)) await endTurn(row, log, store);
}

async function endTurn(row: TurnRow, log: EventLog, store: Store): Promise<void> {
  const { format, startSeq, turn, calls: known = [] } = JSON.parse(row.document) as TurnDocument;
  const record = newTurnRecord({ id: row.id, ordinal: row.ordinal, format, createdAt: Date.parse(turn.created_at) });
  await foldLog(record, store, { sessionId: row.sessionId, startSeq });
  for (const { toolUseId, result } of await store.calls(row.sessionId, row.id)) {
    const { content, isError: is_error, view } = result;
    const call = record.calls.get(toolUseId);
    if (call === undefined) continue;
    call.kept = true;
    call.result ??= { type: 'tool_result', tool_use_id: toolUseId, content, is_error };
    call.view = view;
  }
  const queued = unqueued(record, known);
  for (const event of queued) applyEvent(record, event);
  const calls = [...record.calls.values()];
  const interrupted = calls.filter(({ result }) => result === undefined);
  const endings = calls.flatMap(missingEvents);
  for (const event of endings) applyEvent(record, event);
  const events = [...queued, ...endings];
  record.status = interrupted.length > 0 ? 'aborted' : 'completed';
  record.stop = { reason: 'service_restarted' };
  const { append } = ending(record, { startSeq, lastSeq: log.nextSeq + events.length, sessionId: row.sessionId });
  await log.append({ ...append, events: [...events, ...append.events] });
}

async function foldLog(record: TurnRecord, store: Store, { sessionId, startSeq }: { sessionId: string; startSeq: number }): Promise<void> {
  for (let after = startSeq, page: EventRow[]; (page = await store.events({ sessionId, after, limit: PAGE_EVENTS })).length > 0;) {
    for (const { json, seq } of page) {
      after = seq;
      const event = JSON.parse(json) as LoggedEvent;
      if (event.turn_id === record.id) applyEvent(record, event);
    }
  }
}

/** Calls that were known before the log came to them. */
function unqueued(record: TurnRecord, known: readonly ToolUse[]): LoggedEventBody[] {
  const missing = known.filter(({ id }) => !record.calls.has(id));
  return missing.map(({ id, name, input }, offset) => ({
    type: 'call_queued',
    tool_use_id: id,
    index: record.calls.size + offset,
    name,
    input,
    batch: record.batches.length + offset,
    concurrent: false,
  }));
}

/** What the log still lacks of a call. */
function missingEvents(call: RecordedCall): LoggedEventBody[] {
  if (call.state === 'yielded') return [];
  const { tool_use_id, index, name } = call;
  const { outcome, result, view } = call.result === undefined ? interruption(call) : { ...call, result: call.result };
  const released: LoggedEventBody = {
    type: 'tool_result',
    index,
    tool_use_id,
    name,
    outcome: outcome ?? 'ok',
    result,
    view: view ?? { title: name },
  };
  if (call.state === 'completed') return [released];
  const finished = { outcome: released.outcome, is_error: result.is_error, duration_ms: 0, queued_ms: 0 };
  return [{ type: 'call_finished', tool_use_id, ...finished }, released];
}

function interruption({ tool_use_id, name, state, effect }: RecordedCall) {
  const begun = state === 'executing' && effect !== 'read';
  const text = begun
    ? 'The service stopped while this call ran: it may or may not have taken effect. Look before you repeat it.'
    : 'The service stopped before this call had an effect: it can be called again.';
  const view: View = { title: name, subtitle: 'interrupted', body: { kind: 'text', text } };
  return {
    outcome: begun ? ('outcome_unknown' as const) : ('aborted' as const),
    result: { type: 'tool_result' as const, tool_use_id, content: wrapToolError(text), is_error: true },
    view,
  };
}
