// One call on its way through a turn, and what the turn tells of it.
import type {
  ContextModifier,
  Decision,
  EngineEvent,
  Intent,
  Outcome,
  PermissionContext,
  ResultContent,
  ToolResultBlock,
  ToolUse,
  View,
} from '../contract/index.ts';
import type { BegunCall } from './call/begun-call.ts';
import type { BatchRun } from './schedule/batch-run.ts';
import type { CallEnding } from './call/call-case.ts';
import type { CallFinish } from './finish/finish-call.ts';
import { observableInput, useView } from './prepare/observable.ts';
import type { PreparedCall, ReadyCall } from './prepare/prepare.ts';
import type { Siblings } from './schedule/siblings.ts';
import type { Waits } from './call/queue-time.ts';

/** What is already known of a call of a turn that was interrupted. With neither key it has not begun: it runs as any other. */
export interface EarlierCall {
  /** Set of a call that has ended: it is told of once, and does not run again. */
  readonly end?: {
    readonly outcome: Outcome;
    readonly isError: boolean;
    readonly content: ResultContent;
    readonly view: View;
    /** Its `tool_result` has been told too. */
    readonly released: boolean;
  };
  /** Set of a call that was running. */
  readonly begun?: BegunCall;
}

export interface Entry {
  readonly index: number;
  readonly use: ToolUse;
  readonly prepared: PreparedCall;
  readonly queuedAt: number;
  readonly siblings: Siblings;
  readonly earlier?: EarlierCall;
  startedAt?: number;
  readonly waits: Waits;
  modifiers: readonly ContextModifier[];
  /** What the model gets, once the call has ended. */
  content?: ResultContent;
}

/** A call that has ended and waits for its place in the order. */
export interface Released {
  readonly entry: Entry;
  readonly outcome: Outcome;
  readonly finish: CallFinish;
}

export function queuedEvent({ use, index, prepared }: Entry, batch: BatchRun<Entry>): EngineEvent {
  const { name, input } = use;
  return {
    type: 'call_queued',
    tool_use_id: use.id,
    index,
    name,
    input,
    batch: batch.index,
    concurrent: batch.concurrent,
    ...(prepared.kind === 'ready' && coercedOf(prepared)),
  };
}

export interface Start {
  readonly ready: ReadyCall;
  readonly decision: Decision;
  readonly permissions: PermissionContext;
  readonly intent: Intent | undefined;
}

export function startedEvent({ use }: Entry, batch: BatchRun<Entry>, { ready, decision, permissions, intent }: Start): EngineEvent {
  return {
    type: 'call_started',
    tool_use_id: use.id,
    name: ready.tool.name,
    batch: batch.index,
    concurrent: batch.concurrent,
    input: observableInput(ready.tool, ready.input, permissions),
    view: useView(ready.tool, ready.input),
    decision,
    effect: ready.effect,
    ...coercedOf(ready),
    ...(intent && { intent }),
  };
}

export function finishedEvent(entry: Entry, ending: CallEnding, finish: CallFinish): EngineEvent {
  const now = performance.now();
  const startedAt = entry.startedAt ?? now;
  return {
    type: 'call_finished',
    tool_use_id: entry.use.id,
    outcome: ending.outcome,
    is_error: finish.isError,
    duration_ms: Math.round(now - startedAt - entry.waits.ms),
    queued_ms: Math.round(startedAt - entry.queuedAt + entry.waits.ms),
    result: resultBlock(entry, finish),
    view: finish.view,
    ...(finish.sanitized && { sanitized: true as const }),
    ...(ending.outcome === 'denied' && ending.decision && { decision: ending.decision }),
    ...(entry.prepared.kind === 'refused' && entry.prepared.schemaUnsent === true && { schema_unsent: true as const }),
  };
}

export function resultEvent({ entry, outcome, finish }: Released): EngineEvent {
  const { id, name } = entry.use;
  return {
    type: 'tool_result',
    index: entry.index,
    tool_use_id: id,
    name: entry.prepared.tool?.name ?? name,
    outcome,
    result: resultBlock(entry, finish),
    view: finish.view,
  };
}

function resultBlock({ use }: Entry, { content, isError }: CallFinish): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: use.id, content, is_error: isError };
}

function coercedOf({ coerced }: ReadyCall): { coerced?: string[] } {
  return coerced.length > 0 ? { coerced: [...coerced] } : {};
}
