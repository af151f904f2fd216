// A turn as its row keeps it, and how it ends.
import type { LoggedEventBody, ToolUse, TurnRow } from '../../contract/index.ts';
import { formats } from '../../formats/formats.ts';
import { finishedCalls, summarise, takeRows, type TurnRecord } from './turn-record.ts';
import type { Turn, TurnReply } from './turn.ts';

/** The last step of a turn: its reply, and what goes into the log and the store with it. */
export function ending(record: TurnRecord, place: { startSeq: number; lastSeq: number; sessionId: string }) {
  record.endedAt ??= Date.now();
  record.lastSeq = place.lastSeq;
  const discarded = record.status === 'discarded';
  const messages = discarded ? [] : formats[record.format].writeMessages(finishedCalls(record));
  const reply: TurnReply = { messages, turn: summarise(record) };
  const last: LoggedEventBody = discarded ? { type: 'turn_discarded', turn: reply.turn } : { type: 'turn_completed', ...reply };
  const turn = documentRow(record, place);
  return { reply, append: { turnId: record.id, events: [last], turn, calls: takeRows(record, 'all') } };
}

/** What a turn's row keeps beside its calls. */
export interface TurnDocument {
  readonly format: TurnRecord['format'];
  readonly startSeq: number;
  readonly turn: TurnReply['turn'];
  /** Of a turn that has not ended: the calls that were known when it was kept, so that each has a result after a crash. */
  readonly calls?: readonly ToolUse[];
  /** With `calls`: no more of them can come. */
  readonly complete?: boolean;
}

/** The row of a turn that has not ended. Of a new one, what became of its calls is in the log alone. */
export function turnRow(turn: Turn, sessionId: string): TurnRow {
  const { record, earlier, startSeq, calls, inputOpen, cut } = turn;
  const shown = earlier === undefined ? { ...record, calls: new Map(), batches: [] } : record;
  return documentRow(shown, { startSeq, sessionId, calls, complete: !inputOpen && !cut });
}

function documentRow(
  record: TurnRecord,
  { startSeq, sessionId, ...input }: { startSeq: number; sessionId: string; calls?: readonly ToolUse[]; complete?: boolean },
): TurnRow {
  const document: TurnDocument = { format: record.format, startSeq, turn: summarise(record), ...input };
  return { sessionId, id: record.id, ordinal: record.ordinal, open: record.endedAt === null, document: JSON.stringify(document) };
}
