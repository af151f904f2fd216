// What is known of a turn: its calls, batches and results, folded from the engine's events. Plain data.
import { createHash } from 'node:crypto';
import type {
  BatchSummary,
  CallFinishedEvent,
  CallRow,
  CallSummary,
  Effect,
  EngineEvent,
  FinishedCall,
  MessageFormat,
  ToolResultBlock,
  ToolUse,
  TurnStatus,
  TurnSummary,
  View,
} from '../contract/index.ts';

export interface RecordedCall extends CallSummary {
  /** As the model sent it. */
  readonly input: unknown;
  readonly index: number;
  effect: Effect;
  view?: View;
  result?: ToolResultBlock;
}

export interface TurnRecord {
  readonly id: string;
  readonly ordinal: number;
  readonly format: MessageFormat;
  readonly createdAt: number;
  status: TurnStatus;
  stop: { reason: string } | null;
  endedAt: number | null;
  lastSeq: number;
  readonly batches: BatchSummary[];
  /** By tool_use id, in call order. */
  readonly calls: Map<string, RecordedCall>;
}

export function newTurnRecord(start: Pick<TurnRecord, 'id' | 'ordinal' | 'format'>): TurnRecord {
  return { ...start, createdAt: Date.now(), status: 'queued', stop: null, endedAt: null, lastSeq: 0, batches: [], calls: new Map() };
}

/** Folds one engine event into the record. @returns the call whose row must be kept, if it changed in a way that matters */
export function applyEvent(record: TurnRecord, event: EngineEvent): RecordedCall | undefined {
  switch (event.type) {
    case 'call_queued':
      return queue(record, event);
    case 'call_started': {
      const call = record.calls.get(event.tool_use_id);
      if (call === undefined) return undefined;
      call.state = 'executing';
      call.effect = event.effect;
      call.view = event.view;
      if (event.coerced !== undefined) call.coerced = event.coerced;
      return call;
    }
    case 'call_finished':
      return finish(record, event);
    case 'tool_result': {
      const call = record.calls.get(event.tool_use_id);
      if (call !== undefined) call.state = 'yielded';
      return undefined;
    }
    default:
      return undefined;
  }
}

function queue(record: TurnRecord, event: Extract<EngineEvent, { type: 'call_queued' }>): RecordedCall {
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
  };
  record.calls.set(event.tool_use_id, call);
  const batch = record.batches[event.batch];
  if (batch === undefined) record.batches.push({ concurrent: event.concurrent, tool_use_ids: [event.tool_use_id] });
  else batch.tool_use_ids.push(event.tool_use_id);
  return call;
}

function finish(record: TurnRecord, event: CallFinishedEvent): RecordedCall | undefined {
  const call = record.calls.get(event.tool_use_id);
  if (call === undefined) return undefined;
  call.state = 'completed';
  call.outcome = event.outcome;
  call.is_error = event.is_error;
  call.duration_ms = event.duration_ms;
  call.queued_ms = event.queued_ms;
  call.result = event.result;
  call.view = event.view;
  return call;
}

/** The turn's results are dropped: no call has one any more. */
export function discardRecord(record: TurnRecord): void {
  record.status = 'discarded';
  for (const call of record.calls.values()) {
    call.state = 'completed';
    call.outcome = 'discarded';
    call.is_error = true;
    delete call.result;
  }
}

export function summarise(record: TurnRecord): TurnSummary {
  return {
    id: record.id,
    status: record.status,
    created_at: new Date(record.createdAt).toISOString(),
    duration_ms: (record.endedAt ?? Date.now()) - record.createdAt,
    last_seq: record.lastSeq,
    stop: record.stop,
    batches: record.batches,
    calls: [...record.calls.values()].map(summariseCall),
  };
}

/** A call as a reader sees it who has to redraw a running turn. */
export function liveCall(call: RecordedCall): CallSummary & { input: unknown; view?: View } {
  return { ...summariseCall(call), input: call.input, ...(call.view && { view: call.view }) };
}

function summariseCall({
  input: _input,
  index: _index,
  effect: _effect,
  view: _view,
  result: _result,
  ...summary
}: RecordedCall): CallSummary {
  return summary;
}

export function finishedCalls(record: TurnRecord): FinishedCall[] {
  return [...record.calls.values()].flatMap(({ tool_use_id, name, result }) =>
    result === undefined ? [] : [{ toolUseId: tool_use_id, name, content: result.content, isError: result.is_error }],
  );
}

export function callRow(turnId: string, call: RecordedCall): CallRow {
  const { index, outcome, result, view } = call;
  return {
    turnId,
    toolUseId: call.tool_use_id,
    index,
    name: call.name,
    input: JSON.stringify(call.input) ?? 'null',
    effect: call.effect,
    attempt: call.state === 'queued' ? 0 : 1,
    state: result !== undefined ? 'done' : call.state === 'queued' ? 'queued' : 'intent',
    ...(outcome !== null &&
      result !== undefined && {
        result: { outcome, isError: result.is_error, content: result.content, view: view ?? { title: call.name } },
      }),
  };
}

/** The same for two messages exactly when they hold the same calls: ids, names and inputs, key order apart. */
export function digestOf(calls: Iterable<Pick<ToolUse, 'id' | 'name' | 'input'>>): string {
  const hash = createHash('sha256');
  for (const { id, name, input } of calls) hash.update(canonicalJson([id, name, input])).update('\n');
  return hash.digest('base64url');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
