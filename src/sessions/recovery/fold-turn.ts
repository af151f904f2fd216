// A turn that was open when the service ended, folded again from its row and its part of the log.
import type { EventRow, LoggedEvent, LoggedEventBody, SessionState, Store, ToolUse, TurnRow, View } from '../../contract/index.ts';
import { wrapToolError } from '../../engine/sanitize/sanitize-error.ts';
import { UNKNOWN } from '../../engine/call/begun-call.ts';
import { recordOf } from './ended-turn.ts';
import { fromTravel } from '../settings/state-changes.ts';
import type { LogItem } from '../log/log-reader.ts';
import type { TurnDocument } from '../turn/turn-document.ts';
import { applyEvent, type RecordedCall, type TurnRecord } from '../turn/turn-record.ts';

const PAGE_EVENTS = 500;

export interface FoldedTurn {
  readonly record: TurnRecord;
  /** All its calls that are known, in order, also those that the log had not come to. */
  readonly uses: readonly ToolUse[];
  readonly startSeq: number;
  /** False of a turn that waited for others of its session. */
  readonly begun: boolean;
  /** False when more calls might have come. */
  readonly complete: boolean;
  /** Events of calls that lie with the client, by tool_use id. */
  readonly clientCalls: ReadonlyMap<string, LogItem>;
  /** What its calls have changed of the session. */
  readonly changes: Partial<SessionState>;
}

/** @throws Problem `store-unavailable` */
export async function foldTurn(row: TurnRow, store: Store): Promise<FoldedTurn> {
  const { startSeq, turn, calls: known = [], complete = false } = JSON.parse(row.document) as TurnDocument;
  const rows = await store.calls(row.sessionId, row.id);
  const record = recordOf(row, rows);
  const { begun, changes, clientCalls } = await foldLog(record, store, { sessionId: row.sessionId, startSeq });
  // A call that runs again to settle it has its former row until it ends, which the turn's last step replaces.
  const again = new Set(turn.calls.flatMap(({ outcome, tool_use_id }) => (outcome === null ? [tool_use_id] : [])));
  for (const { toolUseId, result } of rows) {
    const call = record.calls.get(toolUseId);
    if (call === undefined || call.outcome === null || (again.has(toolUseId) && call.result !== undefined)) continue;
    const { content, isError: is_error, view } = result;
    call.kept = !again.has(toolUseId);
    call.result ??= { type: 'tool_result', tool_use_id: toolUseId, content, is_error };
    call.view = view;
  }
  const queued = [...record.calls.values()].map(({ tool_use_id: id, name, input }) => ({ id, name, input }));
  const later = known.filter(({ id }) => !record.calls.has(id));
  return {
    record,
    uses: [...queued.map((use) => known.find(({ id }) => id === use.id) ?? use), ...later],
    startSeq,
    begun: begun || turn.calls.length > 0,
    complete,
    clientCalls,
    changes,
  };
}

async function foldLog(record: TurnRecord, store: Store, { sessionId, startSeq }: { sessionId: string; startSeq: number }) {
  let begun = false;
  let changes: Partial<SessionState> = {};
  const clientCalls = new Map<string, LogItem>();
  for (let after = startSeq, page: EventRow[]; (page = await store.events({ sessionId, after, limit: PAGE_EVENTS })).length > 0;) {
    for (const { json, seq } of page) {
      after = seq;
      const event = JSON.parse(json) as LoggedEvent;
      if (event.turn_id !== record.id) continue;
      begun = true;
      applyEvent(record, event);
      if (event.type === 'client_call') clientCalls.set(event.tool_use_id, { type: event.type, seq, turnId: record.id, json });
      if (event.type === 'context_changed') changes = { ...changes, ...fromTravel(event.changes) };
    }
  }
  return { begun, changes, clientCalls: new Map([...clientCalls].filter(([id]) => record.clientCalls.has(id))) };
}

/** True of a call that was running. One that lies with the client waits there still. */
export function wasRunning({ state, result, waiting_for }: RecordedCall): boolean {
  return result === undefined && state === 'executing' && waiting_for !== 'client';
}

/** How a call ends that was interrupted and does not run again. */
function interruption(call: RecordedCall) {
  const begun = wasRunning(call) && call.effect !== 'read';
  const text = begun ? UNKNOWN : 'The service stopped before this call had an effect: it can be called again.';
  const view: View = { title: call.name, subtitle: 'interrupted', body: { kind: 'text', text } };
  return { outcome: begun ? ('outcome_unknown' as const) : ('aborted' as const), content: wrapToolError(text), view };
}

/** What the log still lacks of a call that does not run again. */
export function missingEvents(call: RecordedCall): LoggedEventBody[] {
  if (call.state === 'yielded') return [];
  const { tool_use_id, index, name } = call;
  const { outcome, result, view } = call.result === undefined ? interrupted(call) : { ...call, result: call.result };
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

function interrupted(call: RecordedCall) {
  const { outcome, content, view } = interruption(call);
  return { outcome, view, result: { type: 'tool_result' as const, tool_use_id: call.tool_use_id, content, is_error: true } };
}
