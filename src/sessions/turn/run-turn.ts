// Runs one turn to its end: engine events are folded into the record, kept, and sent; the last event closes the turn.
import { Channel } from '../../engine/release/channel.ts';
import { runTools } from '../../engine/run-tools.ts';
import {
  frozenState,
  withLoaded,
  type EngineEvent,
  type LoggedEventBody,
  type SessionFacts,
  type SessionRow,
  type SessionState,
  type ToolUse,
  type Toolbox,
} from '../../contract/index.ts';
import type { ChildOf } from '../child.ts';
import type { SessionClientCalls } from '../people/client-calls.ts';
import type { EventLog } from '../log/event-log.ts';
import { forgetCommands } from './forget-commands.ts';
import { groupCalls } from './group-calls.ts';
import type { SessionGuard } from '../session-guard.ts';
import { toTravel } from '../settings/state-changes.ts';
import { Journal } from './turn-journal.ts';
import type { SessionServices } from '../session-services.ts';
import type { CallEvent, SessionParts, SessionPlace } from '../session-parts.ts';
import type { SessionSettings } from '../settings/session-options.ts';
import { ending, turnRow } from './turn-document.ts';
import { applyEvent, discardRecord, takeRows, waitsForPeople, type TurnRecord } from './turn-record.ts';
import type { Turn, TurnReply } from './turn.ts';

/** What a turn needs of its session. */
export interface TurnHost {
  readonly id: string;
  readonly owner: string;
  readonly parts: SessionParts;
  readonly place: SessionPlace;
  readonly facts: SessionFacts;
  readonly guard: SessionGuard;
  readonly services: SessionServices;
  /** Set for an agent's session. */
  readonly child: ChildOf | undefined;
  readonly toolbox: Toolbox;
  readonly clientCalls: SessionClientCalls;
  readonly settings: SessionSettings;
  readonly log: EventLog;
  state: SessionState;
  /** The session as it is kept, when that must be written again. */
  staleRow(): SessionRow | undefined;
}

/** Batches of events that may be on their way into the log before the turn waits for it. */
const APPENDS_IN_FLIGHT = 8;

/**
 * Everything that the turn has started has ended when this does.
 * @returns `null` when the turn was left: whoever opens the session next goes on with it
 * @throws Problem when the log cannot be kept
 */
export async function runTurn(turn: Turn, host: TurnHost): Promise<TurnReply | null> {
  const { record } = turn;
  record.status = 'running';
  host.parts.observer.turnStarted(record, host);
  host.guard.haltFor(turn.control);
  const journal = new Journal(host.log, host.clientCalls);
  if (turn.earlier === undefined) {
    journal.append({ turnId: turn.id, events: [{ type: 'turn_started', format: record.format }], turn: turnRow(turn, host.id) });
  }
  for await (const events of runTools(
    host.toolbox.servers.length === 0 ? turn.input : callsOf(turn, host.toolbox),
    executionOptions(turn, host),
  )) {
    const told = turn.control.stopped?.kind === 'discarded' ? events.filter(isAnswer) : events;
    if (told.length === 0) continue;
    keep(turn, host, { events: told, journal });
    if (waitsForPeople(turn.record)) journal.whenKept(() => turn.noteProgress());
    if (turn.awaited) noteAnswered(turn, told, journal);
    // Coming back for more says that what has effects may begin: its start must be in the log by then.
    if (journal.inFlight >= APPENDS_IN_FLIGHT || told.some(turn.earlier === undefined ? hasEffect : isStart)) await journal.kept();
  }
  return turn.control.left && !isOver(turn) ? leave(turn, host, journal) : close(turn, host, journal);
}

/** True when nothing is left of a turn to go on with. */
function isOver({ cut, size, record: { calls } }: Turn): boolean {
  return !cut && calls.size === size && [...calls.values()].every(({ state }) => state === 'yielded');
}

/** Its row says which calls have come by now; what became of them is in the log. */
async function leave(turn: Turn, host: TurnHost, journal: Journal): Promise<null> {
  const session = host.staleRow();
  // The row of one that went on before is that of its beginning, and no more calls have come since.
  const row = turn.earlier === undefined && { turn: turnRow(turn, host.id) };
  journal.append({ turnId: turn.id, events: [], ...row, ...(session && { session }) });
  await journal.kept();
  return null;
}

/** The calls as they come; one whose tool lives on a server elsewhere comes when that is there, or cannot be. */
async function* callsOf(turn: Turn, toolbox: Toolbox): AsyncGenerator<ToolUse, void> {
  const arrived = new Channel<{ readonly use: ToolUse; readonly ready: Promise<void> }>();
  const arriving = (async () => {
    // Servers are waited for side by side, however the calls of one stand behind those of another.
    for await (const use of turn.input) arrived.push({ use, ready: toolbox.ready(use.name, turn.control.signal) });
    arrived.close();
  })();
  for await (const { use, ready } of arrived) {
    await ready;
    yield use;
  }
  await arriving;
}

/** Whoever has answered waits until that is in the log. */
function noteAnswered(turn: Turn, events: readonly EngineEvent[], journal: Journal): void {
  const ids = events.flatMap((event) => {
    if (event.type === 'approval_resolved') return [event.approval_id];
    return event.type === 'call_finished' ? [event.tool_use_id] : [];
  });
  if (ids.length > 0) journal.whenKept(() => turn.noteKept(ids));
}

/** Of a turn whose results are dropped: whoever looks on still learns that a question is settled. */
function isAnswer(event: EngineEvent): boolean {
  return event.type === 'approval_resolved';
}

function hasEffect(event: EngineEvent): boolean {
  return event.type === 'call_started' && event.effect !== 'read';
}

/** Of a turn that was interrupted, also what only reads: it may have been the cause. */
function isStart(event: EngineEvent): boolean {
  return event.type === 'call_started';
}

function executionOptions(turn: Turn, host: TurnHost): Parameters<typeof runTools>[1] {
  const { parts, place, settings, guard } = host;
  const { traceHeaders } = parts;
  return {
    turnId: turn.id,
    format: turn.record.format,
    facts: host.facts,
    state: host.state,
    guards: guard.guards,
    services: {
      files: place.history.filesFor(host.child?.root.turnId ?? turn.id, place.files),
      commands: guard.runner,
      toolIndex: host.toolbox.index,
      ...host.services.forCalls,
      ...(traceHeaders && { traceHeaders: (toolUseId: string) => traceHeaders(turn.id, toolUseId) }),
    },
    outputs: place.outputs,
    limits: {
      maxConcurrency: Math.min(settings.execution.max_concurrency, parts.limits.maxConcurrency),
      graceMs: parts.limits.graceMs,
      bufferedEvents: parts.limits.bufferedEvents,
    },
    schedule: settings.execution.schedule,
    onToolError: settings.execution.on_tool_error,
    control: turn.control,
    notes: guard.takeNotes(),
    leftNotes: (notes) => guard.addNotes(notes),
    ...(turn.earlier && { earlier: turn.earlier }),
  };
}

function keep(turn: Turn, host: TurnHost, { events, journal }: { events: readonly EngineEvent[]; journal: Journal }): void {
  const { record } = turn;
  let logged: LoggedEventBody[] = [];
  const flush = (): void => {
    // A result that waits for its place in the order is not in the log yet: it is kept with its call.
    if (logged.length > 0) journal.append({ turnId: turn.id, events: logged, calls: takeRows(record, 'unreleased') });
    record.lastSeq = host.log.nextSeq - 1;
    logged = [];
  };
  for (const event of events) {
    if (event.type === 'progress') {
      flush();
      journal.live(event, turn.id);
      continue;
    }
    applyEvent(record, event);
    if (event.type === 'context_changed') {
      const changes = { ...event.changes, ...loadedBeside(host.state, event.changes) };
      host.state = frozenState({ ...host.state, ...changes });
      logged.push(toLogged({ ...event, changes }));
      continue;
    }
    notify(host, record, event);
    const resolved = event.type === 'call_finished' ? record.calls.get(event.tool_use_id)?.resolved : undefined;
    logged.push({ ...toLogged(event), ...(resolved && { resolved }) });
  }
  flush();
}

/** What was loaded beside the turn stays loaded. */
function loadedBeside(state: SessionState, { loadedTools }: Partial<SessionState>): Partial<SessionState> {
  return loadedTools === undefined ? {} : { loadedTools: withLoaded(state.loadedTools, loadedTools) };
}

function notify(host: TurnHost, record: TurnRecord, event: CallEvent): void {
  const { observer } = host.parts;
  observer.callChanged(event, record, host);
  const call = event.type === 'call_finished' ? record.calls.get(event.tool_use_id) : undefined;
  if (call !== undefined) observer.callEnded(call, record, host);
}

function toLogged(event: Exclude<EngineEvent, { type: 'progress' }>): LoggedEventBody {
  if (event.type === 'context_changed') {
    return { type: event.type, changes: toTravel(event.changes) };
  }
  if (event.type !== 'call_finished') return event;
  const { result: _result, view: _view, schema_unsent: _unsent, sanitized: _sanitized, ...finished } = event;
  return finished;
}

async function close(turn: Turn, host: TurnHost, journal: Journal): Promise<TurnReply> {
  const { record } = turn;
  const stopped = turn.control.stopped;
  if (turn.control.halted !== undefined) record.stop = { reason: turn.control.halted };
  else if (turn.inputReason !== undefined) record.stop = { reason: turn.inputReason };
  if (stopped?.kind === 'discarded') discardRecord(record);
  else record.status = wasCutShort(turn) ? 'aborted' : 'completed';
  if (record.status === 'completed') record.groups = groupCalls(record, host.toolbox.catalog);
  const { reply, append } = ending(record, { startSeq: turn.startSeq, lastSeq: host.log.nextSeq, sessionId: host.id });
  const session = host.staleRow();
  journal.append({ ...append, ...(session && { session }) });
  await journal.kept();
  void forgetCommands(record, host);
  host.parts.observer.turnEnded(record, host);
  return reply;
}

/** Stopped by somebody, or left with its last calls stopped. */
function wasCutShort({ control: { stopped, halted, left }, record: { calls } }: Turn): boolean {
  const stoppedCalls = left && [...calls.values()].some(({ outcome }) => outcome === 'aborted');
  return stoppedCalls || (stopped?.kind === 'aborted' && halted === undefined);
}
