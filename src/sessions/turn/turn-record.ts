// What is known of a turn: its calls, batches and results, folded from the engine's events. Plain data.
import type {
  ApprovalSummary,
  BatchSummary,
  CallGroup,
  CallRow,
  CallSummary,
  Decision,
  Effect,
  EngineEvent,
  FinishedCall,
  Intent,
  LoggedEventBody,
  MessageFormat,
  ToolResultBlock,
  TurnStatus,
  TurnSummary,
  View,
} from '../../contract/index.ts';

export interface RecordedCall extends CallSummary {
  /** As the model sent it. */
  readonly input: unknown;
  readonly index: number;
  effect: Effect;
  /** Its input was wrong, and the model had never seen the tool's schema. */
  schemaUnsent?: boolean;
  /** Its error text held something that no model gets. */
  sanitized?: boolean;
  /** Who let it run, or did not. */
  decision?: Decision;
  view?: View;
  result?: ToolResultBlock;
  /** How often it has started: more than once where the service ended meanwhile. */
  starts: number;
  /** As observers saw its input when it started last. */
  observed?: unknown;
  /** What its tool said of it then. */
  intent?: Intent | undefined;
  /** True once the call has its row in the store. */
  kept: boolean;
}

export interface TurnRecord {
  readonly id: string;
  readonly ordinal: number;
  readonly format: MessageFormat;
  readonly createdAt: number;
  status: TurnStatus;
  /** Calls that have come, also those that no event has told of yet. */
  known: number;
  stop: { reason: string } | null;
  endedAt: number | null;
  lastSeq: number;
  readonly batches: BatchSummary[];
  /** Once it has ended. */
  groups?: CallGroup[];
  /** By tool_use id, in call order. */
  readonly calls: Map<string, RecordedCall>;
  /** Approvals that calls of this turn wait for. */
  readonly approvals: Map<string, ApprovalSummary>;
  /** Calls that lie with the client, by tool_use id. */
  readonly clientCalls: Map<string, { readonly name: string; readonly input: unknown }>;
  /** Calls that have ended and wait for their place in the order. */
  readonly unreleased: Set<RecordedCall>;
}

export function newTurnRecord(start: Pick<TurnRecord, 'id' | 'ordinal' | 'format'> & { createdAt?: number }): TurnRecord {
  return {
    createdAt: Date.now(),
    ...start,
    status: 'queued',
    known: 0,
    stop: null,
    endedAt: null,
    lastSeq: 0,
    batches: [],
    calls: new Map(),
    approvals: new Map(),
    clientCalls: new Map(),
    unreleased: new Set(),
  };
}

/** What a record is folded from: the engine's events as they happen, or the log's after a restart. */
type FoldedEvent = EngineEvent | LoggedEventBody;

export function applyEvent(record: TurnRecord, event: FoldedEvent): void {
  switch (event.type) {
    case 'call_queued':
      queue(record, event);
      break;
    case 'call_started':
      change(record, event.tool_use_id, {
        state: 'executing',
        effect: event.effect,
        decision: event.decision,
        view: event.view,
        starts: (record.calls.get(event.tool_use_id)?.starts ?? 0) + 1,
        observed: event.input,
        intent: event.intent,
      });
      break;
    case 'call_finished': {
      const { outcome, is_error, duration_ms, queued_ms, decision } = event;
      const known = 'result' in event ? { result: event.result, view: event.view } : {};
      change(record, event.tool_use_id, {
        state: 'completed',
        outcome,
        is_error,
        duration_ms,
        queued_ms,
        ...known,
        ...(decision && { decision }),
        ...('schema_unsent' in event && { schemaUnsent: true }),
        ...('sanitized' in event && { sanitized: true }),
        ...('resolved' in event && { resolved: event.resolved }),
      });
      break;
    }
    case 'approval_requested':
      record.approvals.set(event.approval.id, event.approval);
      change(record, event.approval.tool_use_id, { waiting_for: 'approval' });
      break;
    case 'approval_resolved': {
      const toolUseId = record.approvals.get(event.approval_id)?.tool_use_id ?? '';
      record.approvals.delete(event.approval_id);
      const call = record.calls.get(toolUseId);
      const more = [...record.approvals.values()].some(({ tool_use_id }) => tool_use_id === toolUseId);
      if (call !== undefined && !more) delete call.waiting_for;
      break;
    }
    case 'client_call':
      record.clientCalls.set(event.tool_use_id, { name: event.name, input: event.input });
      change(record, event.tool_use_id, { waiting_for: 'client' });
      break;
    case 'tool_result':
      change(record, event.tool_use_id, { state: 'yielded', result: event.result, view: event.view });
      break;
    default:
      break;
  }
}

function change(record: TurnRecord, toolUseId: string, changes: Partial<RecordedCall>): void {
  const call = record.calls.get(toolUseId);
  if (call === undefined) return;
  Object.assign(call, changes);
  if (changes.state === 'completed') {
    record.unreleased.add(call);
    record.clientCalls.delete(toolUseId);
    delete call.waiting_for;
  }
  if (changes.state === 'yielded') record.unreleased.delete(call);
}

function queue(record: TurnRecord, event: Extract<EngineEvent, { type: 'call_queued' }>): void {
  const call: RecordedCall = {
    tool_use_id: event.tool_use_id,
    name: event.name,
    input: event.input,
    index: event.index,
    effect: 'once',
    state: 'queued',
    outcome: null,
    is_error: false,
    batch: event.batch,
    queued_ms: 0,
    duration_ms: 0,
    starts: 0,
    kept: false,
    ...(event.coerced !== undefined && { coerced: event.coerced }),
  };
  record.calls.set(event.tool_use_id, call);
  const batch = record.batches[event.batch];
  if (batch === undefined) record.batches.push({ concurrent: event.concurrent, tool_use_ids: [event.tool_use_id] });
  else batch.tool_use_ids.push(event.tool_use_id);
}

/** True when a call waits for people or the client. */
export function waitsForPeople({ approvals, clientCalls }: TurnRecord): boolean {
  return approvals.size + clientCalls.size > 0;
}

/** True when only people or the client are left to wait for, as far as the calls are known that have come. */
export function needsAction(record: TurnRecord): boolean {
  if (!waitsForPeople(record) || record.calls.size < record.known) return false;
  const calls = (ids: readonly string[]): RecordedCall[] =>
    ids.flatMap((id) => record.calls.get(id) ?? []).filter(({ outcome }) => outcome === null);
  const unfinished = record.batches.map(({ tool_use_ids }) => calls(tool_use_ids)).find(({ length }) => length > 0);
  return unfinished?.every(({ waiting_for }) => waiting_for !== undefined) === true;
}

/** The turn's results are dropped: no call has one any more. */
export function discardRecord(record: TurnRecord): void {
  record.status = 'discarded';
  for (const call of record.calls.values()) {
    // What was told stays told.
    if (call.state !== 'yielded') call.state = 'completed';
    call.outcome = 'discarded';
    call.is_error = true;
    call.kept = false;
    delete call.result;
  }
}

export function summarise(record: TurnRecord): TurnSummary {
  return {
    id: record.id,
    status: record.status === 'running' && needsAction(record) ? 'requires_action' : record.status,
    created_at: new Date(record.createdAt).toISOString(),
    duration_ms: (record.endedAt ?? Date.now()) - record.createdAt,
    last_seq: record.lastSeq,
    stop: record.stop,
    batches: record.batches,
    ...(record.groups !== undefined && record.groups.length > 0 && { groups: record.groups }),
    calls: [...record.calls.values()].map(summariseCall),
  };
}

/** As `turn.calls` shows it. */
export function summariseCall({
  tool_use_id,
  name,
  state,
  outcome,
  is_error,
  batch,
  queued_ms,
  duration_ms,
  waiting_for,
  coerced,
  resolved,
}: RecordedCall): CallSummary {
  return {
    tool_use_id,
    name,
    state,
    outcome,
    is_error,
    batch,
    queued_ms,
    duration_ms,
    ...(waiting_for !== undefined && { waiting_for }),
    ...(coerced !== undefined && { coerced }),
    ...(resolved !== undefined && { resolved }),
  };
}

export function finishedCalls(record: TurnRecord): FinishedCall[] {
  return [...record.calls.values()].flatMap(({ tool_use_id, name, result }) =>
    result === undefined ? [] : [{ toolUseId: tool_use_id, name, content: result.content, isError: result.is_error }],
  );
}

/**
 * Rows of calls that have ended and are not kept yet; they count as kept from now on.
 * @param which `unreleased`: only those whose result the log does not hold yet
 */
export function takeRows(record: TurnRecord, which: 'all' | 'unreleased'): CallRow[] {
  const rows: CallRow[] = [];
  for (const call of which === 'all' ? record.calls.values() : record.unreleased) {
    if (call.kept || call.outcome === null) continue;
    call.kept = true;
    rows.push(callRow(record.id, call));
  }
  return rows;
}

function callRow(turnId: string, { tool_use_id, index, name, input, outcome, is_error, result, view }: RecordedCall): CallRow {
  return {
    turnId,
    toolUseId: tool_use_id,
    index,
    name,
    input: JSON.stringify(input) ?? 'null',
    result: { outcome: outcome ?? 'aborted', isError: is_error, content: result?.content ?? '', view: view ?? { title: name } },
  };
}
