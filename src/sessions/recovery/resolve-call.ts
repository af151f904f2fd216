// Settles a call of which nobody knows whether it has taken effect. `ok` and `error` are somebody's word; `retry` runs it again:
// its turn goes on as after a crash, with all of its other calls done. Either way the turn ends once more, with a
// `turn_completed` that holds the new result, and from then on that is the result of the call.
import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import {
  DEFAULT_MAX_RESULT_CHARS,
  Problem,
  textOf,
  type CallSummary,
  type LoggedEventBody,
  type Resolution,
  type ResultContent,
  type View,
} from '../../contract/index.ts';
import { isEmpty, mapText } from '../../engine/finish/finish-call-text.ts';
import { sanitizeError } from '../../engine/sanitize/sanitize-error.ts';
import { wellFormed } from '../../engine/sanitize/well-formed.ts';
import { recordOf } from './ended-turn.ts';
import { clearOutput, earlierCall } from './recover.ts';
import { ending, turnRow } from '../turn/turn-document.ts';
import type { Session } from '../session.ts';
import { keptTurn } from '../turn/turn-history.ts';
import { applyEvent, summariseCall, type RecordedCall, type TurnRecord } from '../turn/turn-record.ts';
import { Turn, type PendingAction } from '../turn/turn.ts';

export interface ResolveRequest {
  readonly turnId: string;
  readonly toolUseId: string;
  readonly as: Resolution;
  /** With `ok` and `error`: what the model reads. */
  readonly content?: ResultContent | undefined;
}

/** A call as it stands, with its result where it has one. */
export interface SettledCall extends CallSummary {
  readonly turn_id: string;
  /** `null` while the call has not ended. */
  readonly content: ResultContent | null;
  /** What a call that runs again waits for. */
  readonly pending?: readonly PendingAction[];
}

/** What the model reads where nothing else was given. */
const SAID: Readonly<Record<'ok' | 'error', string>> = {
  ok: 'The service stopped while this call ran. Somebody has looked since: it has taken effect. What it would have said is lost.',
  error: 'The service stopped while this call ran. Somebody has looked since: it has failed.',
};

/**
 * The same answer again changes nothing. With `retry` it resolves when the call has ended, or people are needed for that.
 * @throws Problem `turn-not-found`, `call-not-found`, `turn-queue-full`, `store-unavailable`, `session-not-found`;
 * `invalid-request` when the outcome of the call is known, or its turn still runs
 */
export async function resolveCall(session: Session, request: ResolveRequest): Promise<SettledCall> {
  const step = await queueOf(session).add(() => begin(session, request));
  return step instanceof Turn ? ended(session, step, request.toolUseId) : step;
}

/** Two answers to one call must not both count. */
const answering = new WeakMap<Session, PQueue>();

function queueOf(session: Session): PQueue {
  const queue = answering.get(session) ?? new PQueue({ concurrency: 1 });
  answering.set(session, queue);
  return queue;
}

/** @returns the call as it is settled, or the turn in which it runs again */
async function begin(session: Session, request: ResolveRequest): Promise<SettledCall | Turn> {
  const { turnId, toolUseId, as } = request;
  const live = session.turns.find(turnId);
  if (live !== undefined) return joined(live, request);
  const record = recordOf(await keptTurn(session, turnId), await session.parts.store.calls(session.id, turnId));
  const call = record.calls.get(toolUseId);
  if (call === undefined) throw noCall(request);
  if (call.outcome === 'outcome_unknown') {
    if (as === 'retry') await clearOutput(session, record, call);
    session.assertRoom();
    return as === 'retry' ? runAgain(session, record, call) : settle(session, { record, call, request });
  }
  const same = call.resolved === as && (as === 'retry' || isDeepStrictEqual(resultOf(request).content, call.result?.content));
  if (same) return settledCall(call, turnId);
  throw new Problem('invalid-request', `The outcome of call ${toolUseId} is known: ${call.outcome}. Only outcome_unknown can be resolved.`);
}

/** A call that runs again already. */
function joined(turn: Turn, request: ResolveRequest): Turn {
  if (!turn.has(request.toolUseId)) throw noCall(request);
  if (request.as === 'retry' && turn.record.calls.get(request.toolUseId)?.resolved === 'retry') return turn;
  throw new Problem('invalid-request', `Turn ${turn.id} still runs: resolve its calls when it has ended.`);
}

function noCall({ turnId, toolUseId }: ResolveRequest): Problem {
  return new Problem('call-not-found', `The session has no call ${toolUseId.slice(0, 80)} in turn ${turnId.slice(0, 80)}.`);
}

/** The result that somebody's word makes, as fit for a model as any other. @throws Problem `invalid-request` when it is too long */
function resultOf({ as, content = '' }: ResolveRequest) {
  const given = isEmpty(content) ? SAID[as === 'error' ? 'error' : 'ok'] : content;
  if (textOf(given).length > DEFAULT_MAX_RESULT_CHARS)
    throw new Problem('invalid-request', `content may have at most ${DEFAULT_MAX_RESULT_CHARS} characters of text.`);
  if (as !== 'error') return { outcome: 'ok' as const, isError: false, content: wellFormed(given) };
  return { outcome: 'tool_error' as const, isError: true, content: wellFormed(mapText(given, (part) => sanitizeError(part))) };
}

/** Takes somebody's word for how the call has ended. */
async function settle(
  session: Session,
  settling: { record: TurnRecord; call: RecordedCall; request: ResolveRequest },
): Promise<SettledCall> {
  const { record, call, request } = settling;
  const { tool_use_id, index, name, duration_ms, queued_ms } = call;
  const { outcome, isError: is_error, content } = resultOf(request);
  const view: View = { title: name, subtitle: `resolved as ${request.as}`, body: { kind: 'text', text: textOf(content) } };
  const events: LoggedEventBody[] = [
    { type: 'call_finished', tool_use_id, outcome, is_error, duration_ms, queued_ms, resolved: request.as },
    { type: 'tool_result', index, tool_use_id, name, outcome, result: { type: 'tool_result', tool_use_id, content, is_error }, view },
  ];
  for (const event of events) applyEvent(record, event);
  call.kept = false;
  const { nextSeq } = session.log;
  const { append } = ending(record, { startSeq: nextSeq - 1, lastSeq: nextSeq + events.length, sessionId: session.id });
  session.version += 1;
  session.updatedAt = Date.now();
  await session.log.append({ ...append, events: [...events, ...append.events] });
  return settledCall(call, record.id);
}

/** The turn goes on where it was, but for this call, which begins anew. */
async function runAgain(session: Session, record: TurnRecord, call: RecordedCall): Promise<Turn> {
  begunAnew(call);
  record.status = 'queued';
  record.endedAt = null;
  const calls = [...record.calls.values()];
  const turn = new Turn(record, new Map(calls.flatMap(earlierCall)));
  for (const { tool_use_id: id, name, input } of calls) turn.accept({ id, name, input });
  turn.endInput();
  turn.startSeq = session.log.nextSeq - 1;
  // Kept before it runs, so that a crash from here on finds it open.
  const kept = session.log.append({ events: [], turn: turnRow(turn, session.id) });
  session.resume(turn, { changes: {}, clientCalls: new Map() });
  await kept;
  return turn;
}

function begunAnew(call: RecordedCall): void {
  const anew = {
    state: 'queued',
    outcome: null,
    is_error: false,
    queued_ms: 0,
    duration_ms: 0,
    resolved: 'retry',
    starts: 0,
    kept: false,
  } as const;
  Object.assign(call, anew);
  delete call.result;
  delete call.view;
}

async function ended(session: Session, turn: Turn, toolUseId: string): Promise<SettledCall> {
  const over = new AbortController();
  const asked = session.turns.neededFor(turn, over.signal).then((needing) => needing.progress().pending ?? []);
  const pending = await Promise.race([turn.done.then(() => []), asked]).finally(() => over.abort());
  const call = turn.record.calls.get(toolUseId);
  if (call === undefined) throw new TypeError(`Call ${toolUseId} is not in its turn.`);
  return { ...settledCall(call, turn.id), ...(pending.length > 0 && { pending }) };
}

function settledCall(call: RecordedCall, turnId: string): SettledCall {
  return { ...summariseCall(call), turn_id: turnId, content: call.result?.content ?? null };
}
