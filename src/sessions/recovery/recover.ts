// After a crash: turns that were open go on where they were. What was finished is given again, what was running ends or runs
// again by its effect (engine/call/after-interruption.ts), questions are asked still, and nothing with an effect happens twice.
import { rm } from 'node:fs/promises';
import type { LoggedEventBody, Store, ToolUse, TurnRow } from '../../contract/index.ts';
import type { EarlierCall } from '../../engine/entry.ts';
import type { EventLog } from '../log/event-log.ts';
import { foldTurn, missingEvents, wasRunning, type FoldedTurn } from './fold-turn.ts';
import { ending } from '../turn/turn-document.ts';
import type { Session } from '../session.ts';
import { applyEvent, type RecordedCall, type TurnRecord } from '../turn/turn-record.ts';
import { Turn } from '../turn/turn.ts';

/** Why a turn has no more calls whose client was still sending them. */
const RESTARTED = 'service_restarted';

/** Puts the open turns of a session back into its queue. @throws Problem `store-unavailable` */
export async function resumeOpenTurns(session: Session, store: Store): Promise<void> {
  for (const row of await store.openTurns(session.id)) {
    const folded = await foldTurn(row, store);
    const { record } = folded;
    for (const call of record.calls.values()) if (wasRunning(call) && call.effect !== 'once') await clearOutput(session, record, call);
    session.resume(turnOf(folded), folded);
  }
}

/** A call that runs again begins with no output, and what its command has left is gone. Of one that does not run again all of it stays. */
export async function clearOutput({ place, guard }: Session, { id }: TurnRecord, { index }: RecordedCall): Promise<void> {
  const outputFile = place.outputs.pathFor(id, index);
  await guard.runner.reattach(outputFile, { signal: AbortSignal.abort() }).catch(() => {
    // Nothing is left of it, as nearly always.
  });
  await guard.runner.forget(outputFile);
  await rm(outputFile, { force: true });
}

function turnOf({ record, uses, startSeq, begun, complete }: FoldedTurn): Turn {
  const turn = new Turn(record, begun ? new Map(uses.flatMap(({ id }) => earlierCall(record.calls.get(id)))) : undefined);
  turn.startSeq = startSeq;
  for (const use of uses) turn.accept(use);
  turn.endInput(complete ? undefined : RESTARTED);
  return turn;
}

/** What is known of a call of a turn that goes on, by its id. */
export function earlierCall(call: RecordedCall | undefined): [string, EarlierCall][] {
  if (call === undefined) return [];
  const { tool_use_id: id, outcome, is_error, view = { title: call.name }, result, state } = call;
  if (result !== undefined) {
    const end = { outcome: outcome ?? 'ok', isError: is_error, content: result.content, view };
    return [[id, { end: { ...end, released: state === 'yielded' } }]];
  }
  if (!wasRunning(call)) return [[id, {}]];
  const { starts, effect, observed: input, decision = { behavior: 'allow', decided_by: 'policy' }, intent } = call;
  return [[id, { begun: { starts, effect, input, decision, ...(intent && { intent }) } }]];
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
