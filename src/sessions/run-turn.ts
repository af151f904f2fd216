// Runs one turn to its end: engine events are folded into the record, kept, and sent; the last event closes the turn.
import { runTools } from '../engine/run-tools.ts';
import type { CallRow, EngineEvent, LoggedEventBody, SessionRow, SessionState, TurnRow } from '../contract/index.ts';
import type { EventLog } from './event-log.ts';
import { formats } from '../formats/formats.ts';
import type { SessionParts, SessionPlace, ToolPool } from './session-parts.ts';
import type { SessionSettings } from './session-options.ts';
import { applyEvent, callRow, discardRecord, finishedCalls, summarise, type TurnRecord } from './turn-record.ts';
import type { Turn, TurnReply } from './turn.ts';

/** What a turn needs of its session. */
export interface TurnHost {
  readonly id: string;
  readonly parts: SessionParts;
  readonly place: SessionPlace;
  readonly pool: ToolPool;
  readonly settings: SessionSettings;
  readonly log: EventLog;
  state: SessionState;
  /** The session as it is kept. */
  row(): SessionRow;
}

/** @throws Problem when the log cannot be kept; everything the turn started is stopped by then */
export async function runTurn(turn: Turn, host: TurnHost): Promise<TurnReply> {
  const { record } = turn;
  record.status = 'running';
  await host.log.append({ turnId: turn.id, events: [{ type: 'turn_started', format: record.format }], turn: turnRow(turn, host.id) });
  for await (const events of runTools(turn.input, executionOptions(turn, host))) {
    if (turn.control.stopped?.kind === 'discarded') continue;
    await keep(turn, host, events);
  }
  return close(turn, host);
}

function executionOptions(turn: Turn, host: TurnHost): Parameters<typeof runTools>[1] {
  const { parts, place, settings } = host;
  return {
    turnId: turn.id,
    facts: { sessionId: host.id, workspace: place.workspace, env: settings.env },
    state: host.state,
    catalog: host.pool.catalog,
    policy: parts.policyFor(settings),
    services: { files: place.files, commands: parts.commands },
    outputs: place.outputs,
    limits: {
      maxConcurrency: Math.min(settings.execution.max_concurrency, parts.limits.maxConcurrency),
      graceMs: parts.limits.graceMs,
      bufferedEvents: parts.limits.bufferedEvents,
    },
    onToolError: settings.execution.on_tool_error,
    control: turn.control,
  };
}

async function keep(turn: Turn, host: TurnHost, events: readonly EngineEvent[]): Promise<void> {
  const { record } = turn;
  const logged: LoggedEventBody[] = [];
  const rows = new Map<string, CallRow>();
  for (const event of events) {
    if (event.type === 'progress') {
      host.log.live(event, turn.id);
      continue;
    }
    const changed = applyEvent(record, event);
    if (changed !== undefined && !(event.type === 'call_started' && changed.effect === 'read')) {
      rows.set(changed.tool_use_id, callRow(turn.id, changed));
    }
    if (event.type === 'context_changed') host.state = Object.freeze({ ...host.state, ...event.changes });
    if (event.type === 'call_finished' && changed !== undefined) host.parts.observer.callEnded(changed);
    logged.push(toLogged(event));
  }
  if (logged.length > 0) await host.log.append({ turnId: turn.id, events: logged, calls: [...rows.values()] });
}

function toLogged(event: Exclude<EngineEvent, { type: 'progress' }>): LoggedEventBody {
  if (event.type === 'context_changed') {
    const { loadedTools, ...changes } = event.changes;
    return { type: event.type, changes: loadedTools === undefined ? changes : { ...changes, loaded_tools: loadedTools } };
  }
  if (event.type !== 'call_finished') return event;
  const { result: _result, view: _view, ...finished } = event;
  return finished;
}

async function close(turn: Turn, host: TurnHost): Promise<TurnReply> {
  const { record } = turn;
  const stopped = turn.control.stopped;
  if (turn.inputReason !== undefined) record.stop = { reason: turn.inputReason };
  if (stopped?.kind === 'discarded') discardRecord(record);
  else record.status = stopped?.kind === 'aborted' ? 'aborted' : 'completed';
  record.endedAt = Date.now();
  record.lastSeq = host.log.nextSeq;
  const messages = record.status === 'discarded' ? [] : formats[record.format].writeMessages(finishedCalls(record));
  const reply: TurnReply = { messages, turn: summarise(record) };
  const last: LoggedEventBody =
    record.status === 'discarded' ? { type: 'turn_discarded', turn: reply.turn } : { type: 'turn_completed', ...reply };
  await host.log.append({ turnId: turn.id, events: [last], turn: turnRow(turn, host.id), session: host.row() });
  host.parts.observer.turnEnded(record, host.id);
  return reply;
}

/** What a turn's row keeps beside its calls. */
export interface TurnDocument {
  readonly format: TurnRecord['format'];
  readonly digest: string;
  readonly startSeq: number;
  readonly turn: TurnReply['turn'];
}

function turnRow(turn: Turn, sessionId: string): TurnRow {
  const { record } = turn;
  const document: TurnDocument = { format: record.format, digest: turn.digest(), startSeq: turn.startSeq, turn: summarise(record) };
  return { sessionId, id: turn.id, ordinal: record.ordinal, open: record.endedAt === null, document: JSON.stringify(document) };
}
