// Every event that SSE and WebSocket carry, as a schema. The compiler holds them against the contract, so that an event
// without a schema, or with a field that only one side knows, does not build.
import { z } from 'zod';
import {
  EFFECTS,
  MESSAGE_FORMATS,
  OUTCOMES,
  PERMISSION_MODES,
  type ConnectionEvent,
  type EngineEvent,
  type LoggedEvent,
} from '../../contract/index.ts';
import type { helloFrame } from '../../sessions/registry/session-view.ts';
import type { ProblemBody } from '../problem-details.ts';
import {
  Approval,
  Decision,
  OpenApproval,
  OpenTurn,
  OutgoingMessage,
  ProblemDetails,
  Resolved,
  Schedule,
  Session,
  Task,
  TaskItem,
  Todo,
  ToolResult,
  Turn,
  View,
} from './wire-schemas.ts';

const tool_use_id = z.string();
const milliseconds = z.int().min(0).describe('Whole milliseconds.');
const decided = { outcome: z.enum(OUTCOMES), is_error: z.boolean() };
const ref = z.unknown().describe('As the frame brought it.');
const envelope = {
  time: z.iso.datetime().describe('RFC 3339, UTC, with milliseconds.'),
  session_id: z.string(),
  turn_id: z.string().exactOptional(),
};
const numbered = { seq: z.int().min(1).describe("Place in the session's log: counts from 1 without a gap."), ...envelope };

/** Events of the log, in the order in which they come in a turn. */
export const LoggedEvents = {
  turn_started: event('turn_started', 'A turn begins to run.', { ...numbered, format: z.enum(MESSAGE_FORMATS) }),
  call_queued: event('call_queued', 'A call was taken in, in the order of the calls.', {
    ...numbered,
    tool_use_id,
    index: z.int().min(0).describe('Place of the call in the message.'),
    name: z.string(),
    input: z.unknown().describe('As the model sent it.'),
    batch: z.int().min(0),
    concurrent: z.boolean(),
    coerced: z.array(z.string()).exactOptional().describe('Paths of the values that were repaired.'),
  }),
  call_started: event('call_started', 'A call was allowed and runs.', {
    ...numbered,
    tool_use_id,
    name: z.string(),
    batch: z.int().min(0),
    concurrent: z.boolean().describe('True when other calls of its batch may run beside it.'),
    input: z.unknown().describe('Coerced and valid, with what the tool adds for observers.'),
    view: View,
    decision: Decision,
    effect: z.enum(EFFECTS).describe('What the call does to the world: only `once` never runs twice.'),
    coerced: z.array(z.string()).exactOptional().describe('Paths of the values that were repaired to fit the schema of the tool.'),
    intent: z
      .record(z.string(), z.union([z.string(), z.number(), z.null()]))
      .readonly()
      .exactOptional()
      .describe('What the tool notes of the call, to tell after a crash whether it took effect, such as digests of a file.'),
  }),
  approval_requested: event('approval_requested', 'A call waits for a person.', { ...numbered, approval: Approval }),
  approval_resolved: event('approval_resolved', 'Somebody, or the clock, has answered.', {
    ...numbered,
    approval_id: z.string(),
    behavior: z.enum(['allow', 'deny']),
    by: z.string(),
  }),
  client_call: event('client_call', 'The client is asked to run one of its own tools, and to answer with `client_result`.', {
    ...numbered,
    tool_use_id,
    name: z.string(),
    input: z.unknown(),
  }),
  call_finished: event('call_finished', 'A call has ended: told as it happens, before its `tool_result`.', {
    ...numbered,
    tool_use_id,
    ...decided,
    duration_ms: milliseconds,
    queued_ms: milliseconds,
    decision: Decision.exactOptional().describe('Who decided, when the call was denied and so never started.'),
    resolved: Resolved.exactOptional(),
  }),
  tool_result: event('tool_result', 'The result of a call, strictly in the order of the calls.', {
    ...numbered,
    index: z.int().min(0).describe('Place of the call in the message.'),
    tool_use_id,
    name: z.string(),
    outcome: decided.outcome,
    result: ToolResult,
    view: View,
  }),
  context_changed: event('context_changed', 'Calls have changed the state of the session.', {
    ...numbered,
    changes: z.object({
      cwd: z.string().exactOptional(),
      mode: z.enum(PERMISSION_MODES).exactOptional(),
      todos: z.array(Todo).readonly().exactOptional(),
      loaded_tools: z.array(z.string()).readonly().exactOptional(),
      mode_before: z.enum(PERMISSION_MODES).nullable().exactOptional(),
      task_list_last: z.int().exactOptional(),
      task_list: z.array(TaskItem).readonly().exactOptional(),
      schedules: z.array(Schedule).readonly().exactOptional(),
      grants: z.array(z.string()).readonly().exactOptional(),
    }),
  }),
  turn_completed: event('turn_completed', 'The last event of a turn.', { ...numbered, messages: z.array(OutgoingMessage), turn: Turn }),
  turn_discarded: event('turn_discarded', 'The last event of a turn whose results were dropped.', { ...numbered, turn: Turn }),
  task_finished: event('task_finished', 'A background task has ended.', { ...numbered, task: Task }),
} as const;

/** What passes by live, without a number, and is not kept. */
export const LiveEvents = {
  progress: event('progress', 'A running call tells how it goes on. A slow reader gets fewer of these.', {
    ...envelope,
    tool_use_id,
    view: View.exactOptional().describe('How to draw it; absent for output.'),
    data: z.unknown().describe('Such as `{"kind":"output","stream":"stdout","offset":0,"text":"…"}`; `offset` counts bytes of the output.'),
  }),
} as const;

/** What only the reader of one connection gets. */
export const ConnectionEvents = {
  session: event('session', 'The first frame of a socket: enough to draw the session after a reload.', {
    protocol: z.literal(1),
    session: Session,
    tools: z.object({ hash: z.string(), count: z.int().min(0) }),
    open_turns: z.array(OpenTurn),
    approvals: z.array(OpenApproval),
  }),
  gap: event('gap', 'Events of the log that are no longer kept, both ends included.', { from: z.int().min(1), to: z.int().min(1) }),
  ack: event('ack', 'A frame that carried `ref` was taken.', { ref }),
  pong: event('pong', 'Answers `ping`.', { ref: ref.exactOptional() }),
  error: event('error', 'A frame could not be taken. Nothing else is lost, and the socket stays open.', {
    problem: ProblemDetails,
    ref: ref.exactOptional(),
  }),
} as const;

function event<Type extends string, Shape extends z.core.$ZodShape>(type: Type, description: string, shape: Shape) {
  const words = type.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return z.object({ type: z.literal(type), ...shape }).meta({ id: `${words.join('')}Event`, description });
}

const { gap } = ConnectionEvents;
const byType = { discriminator: { propertyName: 'type' } };

/** What `GET /v1/sessions/:id/events` gives as JSON. */
export const LogEvent = z
  .discriminatedUnion('type', [...members(LoggedEvents), gap])
  .meta({ id: 'LogEvent', ...byType, description: "An event of the session's log, or the gap where older ones were dropped." });

/** What a stream of Server-Sent Events holds: the event's `data`. */
export const StreamEvent = z
  .discriminatedUnion('type', [...members(LoggedEvents), ...members(LiveEvents), gap])
  .meta({ id: 'StreamEvent', ...byType, description: 'The `data` of a Server-Sent Event; its `id` is `seq` and its `event` is `type`.' });

function members<Group extends Record<string, z.ZodType>>(group: Group): [Group[keyof Group], ...Group[keyof Group][]] {
  // Each group above has members.
  return Object.values(group) as [Group[keyof Group], ...Group[keyof Group][]];
}

type Gives<Schemas extends Record<string, z.ZodType>> = { [Type in keyof Schemas]: z.output<Schemas[Type]> };
type ByType<Event extends { type: string }> = { [Type in Event['type']]: Extract<Event, { type: Type }> };
type Progress = Omit<LoggedEvent, 'seq' | 'type'> & Extract<EngineEvent, { type: 'progress' }>;
/** What the contract leaves open, as the session and the problems themselves say it. */
type Hello = ReturnType<typeof helloFrame>;
type Refusal = Omit<Extract<ConnectionEvent, { type: 'error' }>, 'problem'> & { problem: ProblemBody };
type Connection = ByType<Exclude<ConnectionEvent, { type: 'session' | 'error' }> | Hello | Refusal>;

/**
 * Compiles only while each event is the same in its schema and in the contract, down to the last key.
 * @public
 */
export type EventsAgree = [
  AllTrue<Agreement<Gives<typeof LoggedEvents>, ByType<LoggedEvent>>>,
  AllTrue<Agreement<Gives<typeof LiveEvents>, { progress: Progress }>>,
  AllTrue<Agreement<Gives<typeof ConnectionEvents>, Connection>>,
];

type AllTrue<Verdicts extends Record<string, true>> = Verdicts;
/** By event, so that the compiler names the one that differs. */
type Agreement<A, B> = {
  [Key in keyof A | keyof B]: Key extends keyof A & keyof B ? Same<Told<A[Key]>, Told<B[Key]>> : 'on one side only';
};
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'not the same') : 'not the same';
/** With every key required, so that a key that one side lacks cannot be passed over; those that may be absent are marked. */
type Told<T> = T extends readonly (infer Item)[] ? Told<Item>[] : T extends object ? { [Key in keyof T]-?: ToldKey<T, Key> } : T;
type ToldKey<T, Key extends keyof T> = object extends Pick<T, Key> ? ['optional', Told<T[Key]>] : [Told<T[Key]>];
