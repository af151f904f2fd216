// Folds one event after another into the model, in place. Events of the log that were seen before change nothing.
import { callKey, type Call, type SessionModel, type Turn } from './session-model.ts';
import { nameOf } from './session-state.ts';
import type { Approval, ConsoleEvent, LoggedEvent } from './wire.ts';

/** Events that the console keeps to be looked through. */
const KEPT_EVENTS = 20_000;
/** Characters of live output that are kept of one call: all of it is fetched when somebody asks. */
const KEPT_OUTPUT = 64_000;

type Of<Type extends ConsoleEvent['type']> = Extract<ConsoleEvent, { type: Type }>;

export function applyEvent(model: SessionModel, event: ConsoleEvent): void {
  if (!('seq' in event)) return applyUnlogged(model, event);
  if (event.seq <= model.lastSeq) return;
  model.lastSeq = event.seq;
  model.now = Date.parse(event.time);
  model.log.push(event);
  if (model.log.length > KEPT_EVENTS * 1.1) model.missing += model.log.splice(0, model.log.length - KEPT_EVENTS).length;
  applyLogged(model, event);
}

function applyUnlogged(model: SessionModel, event: Exclude<ConsoleEvent, LoggedEvent>): void {
  if (event.type === 'session') takeHello(model, event);
  else if (event.type === 'gap') model.missing += event.to - event.from + 1;
  else if (event.type === 'progress') takeProgress(model, event);
}

/** What waits is what the service says: answers may have come while nobody was connected. */
function takeHello(model: SessionModel, { session, approvals }: Of<'session'>): void {
  model.name = nameOf(session);
  model.mode = session.permissions.mode;
  model.cwd = session.cwd;
  model.todos = session.todos;
  const known = new Map(model.approvals);
  model.approvals.clear();
  for (const approval of approvals) model.approvals.set(approval.id, known.get(approval.id) ?? { approval });
}

function takeProgress(model: SessionModel, event: Of<'progress'>): void {
  const call = findCall(model, event);
  if (call === undefined) return;
  if (event.view !== undefined) call.progressView = event.view;
  const data = event.data as { kind?: unknown; text?: unknown } | null;
  if (data?.kind === 'output' && typeof data.text === 'string') call.output = (call.output + data.text).slice(-KEPT_OUTPUT);
}

function applyLogged(model: SessionModel, event: LoggedEvent): void {
  const at = Date.parse(event.time);
  switch (event.type) {
    case 'turn_started':
      return void turnOf(model, event);
    case 'call_queued':
      return takeQueued(model, event);
    case 'call_started':
      return takeStarted(findCall(model, event), event, at);
    case 'approval_requested':
      return takeQuestion(model, event);
    case 'approval_resolved':
      return takeAnswer(model, event, at);
    case 'client_call':
      return takeClientCall(model, event, at);
    case 'call_finished':
      return takeFinished(model, event, at);
    case 'tool_result':
      return takeResult(findCall(model, event), event, at);
    case 'context_changed':
      return takeChanges(model, event.changes);
    case 'turn_completed':
    case 'turn_discarded':
      return takeEnd(model, event, at);
    case 'task_finished':
      return void model.tasks.set(event.task.id, event.task);
    default:
      // A service that is newer than the console may tell of more; of what is known none may be missing.
      event satisfies never;
  }
}

/** The turn of an event; made when its beginning was not seen. */
function turnOf(model: SessionModel, event: LoggedEvent): Turn {
  const id = event.turn_id ?? '';
  let turn = model.turnsById.get(id);
  if (turn === undefined) {
    turn = { id, number: model.turns.length + 1, startedAt: Date.parse(event.time), status: 'running', calls: [] };
    model.turns.push(turn);
    model.turnsById.set(id, turn);
  }
  return turn;
}

function findCall(model: SessionModel, event: { turn_id?: string; tool_use_id: string }): Call | undefined {
  if (event.turn_id !== undefined) return model.calls.get(callKey(event.turn_id, event.tool_use_id));
  return model.turns.at(-1)?.calls.findLast(({ id }) => id === event.tool_use_id);
}

function takeQueued(model: SessionModel, event: LoggedEvent & Of<'call_queued'>): void {
  const turn = turnOf(model, event);
  const key = callKey(turn.id, event.tool_use_id);
  if (model.calls.has(key)) return;
  const { tool_use_id: id, index, name, input, batch, concurrent, coerced = [] } = event;
  const queuedAt = Date.parse(event.time);
  const call: Call = { id, turnId: turn.id, index, name, input, batch, concurrent, coerced, queuedAt, waits: [], output: '' };
  turn.calls.push(call);
  model.calls.set(key, call);
}

function takeStarted(call: Call | undefined, event: Of<'call_started'>, at: number): void {
  if (call === undefined) return;
  const { batch, concurrent, input, view, decision, effect, coerced } = event;
  Object.assign(call, { startedAt: at, batch, concurrent, input, view, decision, effect, ...(coerced !== undefined && { coerced }) });
}

function takeQuestion(model: SessionModel, event: LoggedEvent & Of<'approval_requested'>): void {
  const { approval, turn_id: turnId } = event;
  model.approvals.set(approval.id, { approval, ...(turnId !== undefined && { turnId }) });
  openWait(callOfApproval(model, approval, turnId), 'approval', Date.parse(event.time));
}

function takeAnswer(model: SessionModel, event: LoggedEvent & Of<'approval_resolved'>, at: number): void {
  const pending = model.approvals.get(event.approval_id);
  if (pending === undefined) return;
  model.approvals.delete(event.approval_id);
  closeWaits(callOfApproval(model, pending.approval, pending.turnId), at);
}

function callOfApproval(model: SessionModel, { tool_use_id }: Approval, turnId: string | undefined): Call | undefined {
  return findCall(model, { tool_use_id, ...(turnId !== undefined && { turn_id: turnId }) });
}

function takeClientCall(model: SessionModel, event: LoggedEvent & Of<'client_call'>, at: number): void {
  const call = findCall(model, event);
  if (call === undefined) return;
  openWait(call, 'client', at);
  model.clientCalls.add(call);
}

function takeFinished(model: SessionModel, event: LoggedEvent & Of<'call_finished'>, at: number): void {
  const call = findCall(model, event);
  if (call === undefined) return;
  call.outcome = event.outcome;
  // What is settled later has ended when it ended.
  call.finishedAt ??= at;
  if (event.decision !== undefined) call.decision = event.decision;
  if (event.resolved !== undefined) call.resolved = event.resolved;
  closeWaits(call, at);
  model.clientCalls.delete(call);
}

function takeResult(call: Call | undefined, event: Of<'tool_result'>, at: number): void {
  if (call === undefined) return;
  call.outcome = event.outcome;
  call.finishedAt ??= at;
  call.releasedAt ??= at;
  call.content = event.result.content;
  call.resultView = event.view;
  delete call.progressView;
}

function takeChanges(model: SessionModel, changes: Of<'context_changed'>['changes']): void {
  if (changes.mode !== undefined) model.mode = changes.mode;
  if (changes.cwd !== undefined) model.cwd = changes.cwd;
  if (changes.todos !== undefined) model.todos = changes.todos;
}

function takeEnd(model: SessionModel, event: LoggedEvent & Of<'turn_completed' | 'turn_discarded'>, at: number): void {
  const turn = turnOf(model, event);
  turn.endedAt ??= at;
  turn.status = event.turn.status;
  if (event.turn.stop) turn.stop = event.turn.stop.reason;
  const outcomes = new Map(event.turn.calls.map((call) => [call.tool_use_id, call.outcome]));
  for (const call of turn.calls) {
    const outcome = call.outcome ?? outcomes.get(call.id);
    if (outcome) call.outcome = outcome;
    call.finishedAt ??= at;
    closeWaits(call, at);
    model.clientCalls.delete(call);
  }
}

function openWait(call: Call | undefined, on: 'approval' | 'client', from: number): void {
  if (call !== undefined && call.waits.every(({ to }) => to !== undefined)) call.waits.push({ on, from });
}

function closeWaits(call: Call | undefined, at: number): void {
  for (const wait of call?.waits ?? []) wait.to ??= at;
}
