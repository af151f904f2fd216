// The closed union of everything a session tells its readers, in the shapes that travel (SSE and WebSocket alike).
import type { MessageFormat, ResultContent, ToolResultBlock } from './content.ts';
import type { CallState, Effect, Outcome, Resolution, TurnStatus } from './outcome.ts';
import type { Decision } from './decision.ts';
import type { Schedule } from './schedule.ts';
import type { PermissionMode, SessionState, Todo } from './session-state.ts';
import type { TaskItem } from './task-list.ts';
import type { Intent } from './intent.ts';
import type { View } from './view.ts';

/** A call as `turn.calls` shows it. Durations are whole milliseconds. */
export interface CallSummary {
  tool_use_id: string;
  name: string;
  state: CallState;
  outcome: Outcome | null;
  is_error: boolean;
  /** Index into `turn.batches`; `null` until the call is partitioned. */
  batch: number | null;
  queued_ms: number;
  duration_ms: number;
  waiting_for?: 'approval' | 'client';
  /** Paths of the values that coercion repaired. */
  coerced?: string[];
  /** Set when its outcome was unknown and somebody has settled it, or is having it run again. */
  resolved?: Resolution;
}

export interface BatchSummary {
  concurrent: boolean;
  tool_use_ids: string[];
}

/** Calls of one tool in one batch, drawn together. */
export interface CallGroup {
  /** Index into `turn.batches`. */
  batch: number;
  name: string;
  tool_use_ids: string[];
  view: View;
}

/** A turn as REST replies and `turn_completed` show it. */
export interface TurnSummary {
  id: string;
  status: TurnStatus;
  created_at: string;
  duration_ms: number;
  last_seq: number;
  stop: { reason: string } | null;
  batches: BatchSummary[];
  /** Of a turn that has ended. */
  groups?: CallGroup[];
  calls: CallSummary[];
}

export interface ApprovalSummary {
  id: string;
  tool_use_id: string;
  name: string;
  input: unknown;
  reason: string;
  suggestions: { rule: string }[];
  expires_at: string;
}

export interface TaskSummary {
  id: string;
  kind: 'command' | 'agent';
  status: 'running' | 'completed' | 'failed' | 'stopped';
  command?: string;
  description?: string;
  started_at: string;
  ended_at?: string;
  exit_code?: number;
  output_bytes: number;
}

/** What the engine tells of one turn, before the log gives it a number, a time and a session. */
export type EngineEvent =
  | {
      type: 'call_queued';
      tool_use_id: string;
      index: number;
      name: string;
      input: unknown;
      batch: number;
      concurrent: boolean;
      coerced?: string[];
    }
  | {
      type: 'call_started';
      tool_use_id: string;
      name: string;
      batch: number;
      concurrent: boolean;
      input: unknown;
      view: View;
      decision: Decision;
      effect: Effect;
      coerced?: string[];
      /** What the tool says of the call, to go by after an interruption. */
      intent?: Intent;
    }
  | { type: 'progress'; tool_use_id: string; data: unknown; view?: View }
  | { type: 'approval_requested'; approval: ApprovalSummary }
  | { type: 'approval_resolved'; approval_id: string; behavior: 'allow' | 'deny'; by: string }
  | { type: 'client_call'; tool_use_id: string; name: string; input: unknown }
  | CallFinishedEvent
  | { type: 'tool_result'; index: number; tool_use_id: string; name: string; outcome: Outcome; result: ToolResultBlock; view: View }
  | { type: 'context_changed'; changes: Partial<SessionState> };

/** A call has ended. The journal keeps `result` and `view` with it at once; readers get them with `tool_result`, in order. */
export interface CallFinishedEvent {
  type: 'call_finished';
  tool_use_id: string;
  outcome: Outcome;
  is_error: boolean;
  duration_ms: number;
  queued_ms: number;
  /** Who decided, when the call was denied and so never started. */
  decision?: Decision;
  /** Set when the input was wrong and the model had never seen the tool's schema. */
  schema_unsent?: true;
  /** Its error text held something that no model gets. */
  sanitized?: true;
  result: ToolResultBlock;
  view: View;
}

/** The parts of a session's state that have changed, as they travel. */
export interface StateChanges {
  cwd?: string;
  mode?: PermissionMode;
  /** The mode after plan mode; `null` when that has ended. */
  mode_before?: PermissionMode | null;
  todos?: readonly Todo[];
  loaded_tools?: readonly string[];
  task_list?: readonly TaskItem[];
  /** Id of the newest task there has been. */
  task_list_last?: number;
  schedules?: readonly Schedule[];
  grants?: readonly string[];
}

/** What the session adds around the engine's events. */
export type LoggedEventBody =
  | Exclude<EngineEvent, { type: 'progress' | 'call_finished' | 'context_changed' }>
  | (Omit<CallFinishedEvent, 'result' | 'view' | 'schema_unsent' | 'sanitized'> & {
      /** Set where this settles a call whose outcome was unknown. */
      resolved?: Resolution;
    })
  | { type: 'context_changed'; changes: StateChanges }
  | { type: 'turn_started'; format: MessageFormat }
  | { type: 'turn_completed'; messages: OutgoingMessage[]; turn: TurnSummary }
  | { type: 'turn_discarded'; turn: TurnSummary }
  | { type: 'task_finished'; task: TaskSummary };

/** Frames that only the reader of one connection gets; they are not in the log. */
export type ConnectionEvent =
  | {
      type: 'session';
      protocol: 1;
      session: unknown;
      tools: { hash: string; count: number };
      open_turns: unknown[];
      approvals: ApprovalSummary[];
    }
  | { type: 'gap'; from: number; to: number }
  | { type: 'ack'; ref: unknown }
  | { type: 'pong'; ref?: unknown }
  | { type: 'error'; problem: unknown; ref?: unknown };

/** An event of the log as it is kept and sent: `seq` counts from 1 without a gap. */
export type LoggedEvent = { seq: number; time: string; session_id: string; turn_id?: string } & LoggedEventBody;

/** What the caller appends to its conversation; the shape follows the format of the message. */
export type OutgoingMessage =
  | { role: 'user'; content: ToolResultBlock[] }
  | { role: 'user'; content: ChatContentPart[] }
  | { role: 'tool'; tool_call_id: string; content: string }
  | { type: 'function_call_output'; call_id: string; output: string };

export type ChatContentPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A finished call as the formats turn it into messages. */
export interface FinishedCall {
  readonly toolUseId: string;
  readonly name: string;
  readonly content: ResultContent;
  readonly isError: boolean;
}
