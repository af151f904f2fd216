// After a crash: turns that were open go on where they were. What was finished is given again, what only reads runs again,
// what may have begun is `outcome_unknown`, questions are asked still, and nothing with an effect runs twice.
import type { LoggedEventBody, Store, ToolUse, TurnRow } from '../contract/index.ts';
import type { EarlierCall } from '../engine/entry.ts';
import type { EventLog } from './event-log.ts';
import { foldTurn, interruption, isUnknown, missingEvents, type FoldedTurn } from './fold-turn.ts';
import { ending } from './run-turn.ts';
import type { Session } from './session.ts';
import { applyEvent, type RecordedCall, type TurnRecord } from './turn-record.ts';
import { Turn } from './turn.ts';

/** Why a turn has no more calls whose client was still sending them. */
const RESTARTED = 'service_restarted';

/** Puts the open turns of a session back into its queue. @throws Problem `store-unavailable` */
export async function resumeOpenTurns(session: Session, store: Store): Promise<void> {
  for (const row of await store.openTurns(session.id)) {
    const folded = await foldTurn(row, store);
    session.resume(turnOf(folded), folded);
  }
}

function turnOf({ record, uses, startSeq, begun, complete }: FoldedTurn): Turn {
  const turn = new Turn(record, begun ? new Map(uses.flatMap(({ id }) => earlierCall(record.calls.get(id)))) : undefined);
  turn.startSeq = startSeq;
  for (const use of uses) turn.accept(use);
  turn.endInput(complete ? undefined : RESTARTED);
  return turn;
}

function earlierCall(call: RecordedCall | undefined): [string, EarlierCall][] {
  if (call === undefined) return [];
  const { tool_use_id: id, outcome, is_error, view = { title: call.name }, result, state } = call;
  if (result !== undefined) {
    const end = { outcome: outcome ?? 'ok', isError: is_error, content: result.content, view };
    return [[id, { end: { ...end, told: state === 'yielded' ? 'result' : 'finished' } }]];
  }
  return [[id, isUnknown(call) ? { end: { ...interruption(call), isError: true, told: 'nothing' } } : {}]];
}

/** Brings open turns to their end where their session cannot be opened any more: nothing of them runs. @throws Problem `store-unavailable` */
export async function endOpenTurns(sessionId: string, log: EventLog, store: Store): Promise<void> {
  for (const row of await store.openTurns(sessionId)) await endTurn(row, log, store);
}

async function endTurn(row: TurnRow, log: EventLog, store: Store): Promise<void> {
  const { record, uses, startSeq } = await foldTurn(row, store);
  const queued = unqueued(record, uses);
  for (const event of queued) applyEvent(record, event);
  const calls = [...record.calls.values()];
  const interrupted = calls.filter(({ result }) => result === undefined);
  const endings = calls.flatMap(missingEvents);
  for (const event of endings) applyEvent(record, event);
  const events = [...queued, ...endings];
  record.status = interrupted.length > 0 ? 'aborted' : 'completed';
  record.stop = { reason: RESTARTED };
  const { append } = ending(record, { startSeq, lastSeq: log.nextSeq + events.length, sessionId: row.sessionId });
  await log.append({ ...append, events: [...events, ...append.events] });
}

/** Calls that were known before the log came to them. */
function unqueued(record: TurnRecord, uses: readonly ToolUse[]): LoggedEventBody[] {
  const missing = uses.filter(({ id }) => !record.calls.has(id));
  return missing.map(({ id, name, input }, offset) => ({
    type: 'call_queued',
    tool_use_id: id,
    index: record.calls.size + offset,
    name,
    input,
    batch: record.batches.length + offset,
    concurrent: false,
  }));
}
