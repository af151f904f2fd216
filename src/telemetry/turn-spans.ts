// The spans of one turn: turn → batch → call → stages (queued, decide, approval, run). What calls were given and gave back is never in
// them, since it may hold secrets.
import { SpanStatusCode, trace, type Context, type Span, type Tracer } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import {
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_NAME,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
} from '@opentelemetry/semantic-conventions/incubating';
import type { CallEvent, ObservedSession } from '../sessions/session-parts.ts';
import type { RecordedCall, TurnRecord } from '../sessions/turn/turn-record.ts';

/** Characters of a tool's name in the name of a span. */
const MAX_NAME = 64;
/** Calls of which is noted when they were looked at: a plan of other calls looks at these too. */
const MAX_JUDGED = 2_000;

interface Spanned {
  readonly span: Span;
  /** In which spans below it begin. */
  readonly context: Context;
  /** When the last thing happened in it that had an end. */
  endedAt: number;
}

interface CallSpans extends Spanned {
  readonly queuedAt: number;
  startedAt?: number;
  /** When each open question was asked, by its id. */
  readonly asked: Map<string, number>;
  /** When the first was. */
  askedAt?: number;
}

export interface TurnSpans extends Spanned {
  readonly tracer: Tracer;
  readonly sessionId: string;
  readonly queuedAt: number;
  /** Milliseconds since 1970, as exact as they are between two moments of the turn. */
  readonly now: () => number;
  readonly batches: Map<number, Spanned>;
  readonly calls: Map<string, CallSpans>;
  /** Which call each question is about, by its id. */
  readonly questions: Map<string, string>;
  /** When hooks and rules began to look at each call that has not ended, by its id: before it is told of, maybe. */
  readonly judged: Map<string, number>;
}

/** @param parent in which the turn was asked for */
export function beginTurn(
  tracer: Tracer,
  parent: Context,
  { record, session }: { record: TurnRecord; session: ObservedSession },
): TurnSpans {
  const now = clock();
  const queuedAt = now();
  const attributes = {
    [ATTR_GEN_AI_CONVERSATION_ID]: session.id,
    'toolexec.turn.id': record.id,
    'toolexec.turn.format': record.format,
    ...(session.owner !== '' && { 'toolexec.key': session.owner }),
  };
  const turn = begin(tracer, { name: 'turn', parent, at: queuedAt, attributes });
  const noneYet = { batches: new Map(), calls: new Map(), questions: new Map(), judged: new Map() };
  return { ...turn, tracer, sessionId: session.id, queuedAt, now, ...noneYet };
}

export function turnBegun(turn: TurnSpans): void {
  stage(turn, turn, { name: 'queued', from: turn.queuedAt, to: turn.now() });
}

/** @param record in which it is noted already */
export function callChanged(turn: TurnSpans, event: CallEvent, record: TurnRecord): void {
  const call = record.calls.get(toolUseIdOf(turn, event));
  if (call === undefined) return;
  const spans = callSpans(turn, call);
  const now = turn.now();
  switch (event.type) {
    case 'call_started':
      waited(turn, { id: call.tool_use_id, spans }, now);
      spans.startedAt = now;
      break;
    case 'approval_requested':
      waited(turn, { id: call.tool_use_id, spans }, now);
      spans.askedAt ??= now;
      spans.asked.set(event.approval.id, now);
      turn.questions.set(event.approval.id, call.tool_use_id);
      break;
    case 'approval_resolved':
      answered(turn, spans, event);
      break;
    case 'call_finished':
      endCall(turn, spans, call);
      break;
    default:
      break;
  }
}

function toolUseIdOf({ questions }: TurnSpans, event: CallEvent): string {
  if (event.type === 'approval_requested') return event.approval.tool_use_id;
  return event.type === 'approval_resolved' ? (questions.get(event.approval_id) ?? '') : event.tool_use_id;
}

function answered(
  turn: TurnSpans,
  spans: CallSpans,
  { approval_id: id, behavior, by }: Extract<CallEvent, { type: 'approval_resolved' }>,
): void {
  const attributes = { 'toolexec.approval.behavior': behavior, 'toolexec.approval.by': by };
  stage(turn, spans, { name: 'approval', from: spans.asked.get(id) ?? spans.queuedAt, to: turn.now(), attributes });
  spans.asked.delete(id);
  turn.questions.delete(id);
}

/** Ends whatever of it is open. @param status how the turn ended */
export function endTurn(turn: TurnSpans, record: TurnRecord, status: string): void {
  const now = turn.now();
  for (const [id, spans] of turn.calls) {
    const call = record.calls.get(id);
    if (call !== undefined && spans.span.isRecording()) endCall(turn, spans, call);
  }
  for (const batch of turn.batches.values()) batch.span.end(batch.endedAt);
  turn.span.setAttributes({
    'toolexec.turn.status': status,
    'toolexec.turn.calls': record.calls.size,
    ...(record.stop !== null && { 'toolexec.turn.stop': record.stop.reason }),
  });
  if (status !== 'completed') turn.span.setStatus({ code: SpanStatusCode.ERROR, message: status }).setAttribute(ATTR_ERROR_TYPE, status);
  turn.span.end(now);
}

function callSpans(turn: TurnSpans, call: RecordedCall): CallSpans {
  const known = turn.calls.get(call.tool_use_id);
  if (known !== undefined) return known;
  const at = turn.now();
  const attributes = {
    [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
    [ATTR_GEN_AI_TOOL_NAME]: call.name,
    [ATTR_GEN_AI_TOOL_CALL_ID]: call.tool_use_id,
    [ATTR_GEN_AI_CONVERSATION_ID]: turn.sessionId,
  };
  const name = `${GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL} ${call.name.slice(0, MAX_NAME)}`;
  const parent = batchSpan(turn, call, at).context;
  const spans: CallSpans = { ...begin(turn.tracer, { name, parent, at, attributes }), queuedAt: at, asked: new Map() };
  turn.calls.set(call.tool_use_id, spans);
  return spans;
}

function batchSpan(turn: TurnSpans, { batch }: RecordedCall, at: number): Spanned {
  const index = batch ?? 0;
  const known = turn.batches.get(index);
  if (known !== undefined) return known;
  const begun = begin(turn.tracer, { name: 'batch', parent: turn.context, at, attributes: { 'toolexec.batch.index': index } });
  turn.batches.set(index, begun);
  return begun;
}

/** Hooks and rules look at a call. Only the first look counts: those after an answer are a part of running. */
export function callJudged(turn: TurnSpans, toolUseId: string): void {
  if (turn.judged.size < MAX_JUDGED && !turn.judged.has(toolUseId)) turn.judged.set(toolUseId, turn.now());
}

/** The time before a call ran, or before somebody was asked about it, whichever came first: it waited, then hooks and rules looked at it. */
function waited(turn: TurnSpans, { id, spans }: { id: string; spans: CallSpans }, until: number): void {
  if (spans.askedAt !== undefined || spans.startedAt !== undefined) return;
  const judgedAt = turn.judged.get(id);
  const from = Math.max(spans.queuedAt, judgedAt ?? until);
  stage(turn, spans, { name: 'queued', from: spans.queuedAt, to: from });
  if (judgedAt !== undefined) stage(turn, spans, { name: 'decide', from, to: until });
}

function endCall(turn: TurnSpans, spans: CallSpans, call: RecordedCall): void {
  const now = turn.now();
  const { outcome, effect, decision, coerced } = call;
  waited(turn, { id: call.tool_use_id, spans }, now);
  turn.judged.delete(call.tool_use_id);
  if (spans.startedAt !== undefined) stage(turn, spans, { name: 'run', from: spans.startedAt, to: now });
  for (const from of spans.asked.values()) stage(turn, spans, { name: 'approval', from, to: now });
  const ended = outcome ?? 'unfinished';
  spans.span.setAttributes({
    'toolexec.outcome': ended,
    'toolexec.effect': effect,
    'toolexec.duration_ms': call.duration_ms,
    'toolexec.queued_ms': call.queued_ms,
    ...(decision && { 'toolexec.decision.behavior': decision.behavior, 'toolexec.decision.by': decision.decided_by }),
    ...(coerced && { 'toolexec.coerced': coerced.length }),
  });
  if (ended !== 'ok') spans.span.setStatus({ code: SpanStatusCode.ERROR, message: ended }).setAttribute(ATTR_ERROR_TYPE, ended);
  spans.span.end(now);
  const batch = turn.batches.get(call.batch ?? 0);
  if (batch !== undefined) batch.endedAt = now;
}

interface Beginning {
  readonly name: string;
  readonly parent: Context;
  readonly at: number;
  readonly attributes: Record<string, string | number>;
}

function begin(tracer: Tracer, { name, parent, at, attributes }: Beginning): Spanned {
  const span = tracer.startSpan(name, { startTime: at, attributes }, parent);
  return { span, context: trace.setSpan(parent, span), endedAt: at };
}

interface Stage {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes?: Record<string, string>;
}

function stage({ tracer }: TurnSpans, { context }: Spanned, { name, from, to, attributes = {} }: Stage): void {
  tracer.startSpan(name, { startTime: from, attributes }, context).end(to);
}

/** The wall clock may be set anew meanwhile, and is exact to a millisecond alone. */
function clock(): () => number {
  const offset = Date.now() - performance.now();
  return () => offset + performance.now();
}
