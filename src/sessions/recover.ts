// After a crash: turns that were open when the service ended are brought to their end, so that every call has exactly
// one result. What was finished is given again; what may have begun is `outcome_unknown`; nothing runs twice.
import type { CallRow, EventRow, LoggedEventBody, OutgoingMessage, Store, TurnRow, View } from '../contract/index.ts';
import type { EventLog } from './event-log.ts';
import { formats } from '../formats/formats.ts';
import type { SessionParts } from './session-parts.ts';
import type { TurnDocument } from './run-turn.ts';

const PAGE_EVENTS = 500;

export async function recoverOpenTurns(sessionId: string, log: EventLog, parts: SessionParts): Promise<void> {
  for (const row of await parts.store.openTurns(sessionId)) await endTurn(row, log, parts);
}

async function endTurn(row: TurnRow, log: EventLog, parts: SessionParts): Promise<void> {
  const document = JSON.parse(row.document) as TurnDocument;
  const calls = await parts.store.calls(row.sessionId, row.id);
  const sent = await sentResults(parts.store, row, document.startSeq);
  const ended = calls.map((call): EndedCall => ({ call, result: call.result ?? interrupted(call) }));
  const events = ended.flatMap(({ call, result }) => (sent.has(call.toolUseId) ? [] : missingEvents(call, result)));
  const messages = formats[document.format].writeMessages(
    ended.map(({ call, result }) => ({ toolUseId: call.toolUseId, name: call.name, content: result.content, isError: result.isError })),
  );
  const turn = endedSummary(document, ended, log.nextSeq + events.length);
  await log.append({
    turnId: row.id,
    events: [...events, completed(messages, turn)],
    calls: ended.map(({ call, result }) => ({ ...call, state: 'done', result })),
    turn: { ...row, open: false, document: JSON.stringify({ ...document, turn }) },
  });
}

interface EndedCall {
  readonly call: CallRow;
  readonly result: NonNullable<CallRow['result']>;
}

function completed(messages: OutgoingMessage[], turn: TurnDocument['turn']): LoggedEventBody {
  return { type: 'turn_completed', messages, turn };
}

function interrupted(call: CallRow): NonNullable<CallRow['result']> {
  const begun = call.state === 'intent';
  const text = begun
    ? 'The service stopped while this call ran: it may or may not have taken effect. Look before you repeat it.'
    : 'The service stopped before this call had an effect: it can be called again.';
  const view: View = { title: call.name, subtitle: 'interrupted', body: { kind: 'text', text } };
  return { outcome: begun ? 'outcome_unknown' : 'aborted', isError: true, content: `<tool_use_error>${text}</tool_use_error>`, view };
}

function missingEvents(call: CallRow, result: NonNullable<CallRow['result']>): LoggedEventBody[] {
  const { toolUseId: tool_use_id, index, name } = call;
  const { outcome, isError: is_error, content, view } = result;
  const finished: LoggedEventBody = { type: 'call_finished', tool_use_id, outcome, is_error, duration_ms: 0, queued_ms: 0 };
  const released: LoggedEventBody = {
    type: 'tool_result',
    index,
    tool_use_id,
    name,
    outcome,
    result: { type: 'tool_result', tool_use_id, content, is_error },
    view,
  };
  return call.result === undefined ? [finished, released] : [released];
}

function endedSummary(document: TurnDocument, ended: readonly EndedCall[], lastSeq: number): TurnDocument['turn'] {
  const stopped = ended.some(({ call }) => call.result === undefined);
  const calls = ended.map(({ call, result }) => ({
    tool_use_id: call.toolUseId,
    name: call.name,
    state: 'yielded' as const,
    outcome: result.outcome,
    is_error: result.isError,
    batch: null,
    queued_ms: 0,
    duration_ms: 0,
  }));
  return { ...document.turn, status: stopped ? 'aborted' : 'completed', stop: { reason: 'service_restarted' }, last_seq: lastSeq, calls };
}

/** Ids of calls whose `tool_result` is in the log already. */
async function sentResults(store: Store, row: TurnRow, startSeq: number): Promise<Set<string>> {
  const sent = new Set<string>();
  for (
    let after = startSeq, page: EventRow[];
    (page = await store.events({ sessionId: row.sessionId, after, limit: PAGE_EVENTS })).length > 0;
  ) {
    for (const { json, seq } of page) {
      after = seq;
      if (!json.startsWith('{"type":"tool_result"')) continue;
      const event = JSON.parse(json) as { turn_id?: string; tool_use_id: string };
      if (event.turn_id === row.id) sent.add(event.tool_use_id);
    }
  }
  return sent;
}
