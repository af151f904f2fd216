// Turns as the API shows them, live from memory while they run, from the store after.
import { Problem, type MessageFormat, type TurnRow } from '../../contract/index.ts';
import { formats } from '../../formats/formats.ts';
import type { Session } from '../session.ts';
import type { TurnDocument } from './turn-document.ts';
import { summarise } from './turn-record.ts';
import type { Turn, TurnReply } from './turn.ts';

/** @throws Problem `turn-not-found`, `store-unavailable` */
export async function readTurn(session: Session, turnId: string, format?: MessageFormat): Promise<TurnReply & { startSeq: number }> {
  const live = session.turns.find(turnId);
  // That a turn has ended is told when its end is in the log.
  if (live !== undefined && isFinal(live)) return { ...(await live.done), startSeq: live.startSeq };
  if (live !== undefined) return { ...live.progress(), startSeq: live.startSeq };
  const document = JSON.parse((await keptTurn(session, turnId)).document) as TurnDocument;
  if (document.turn.status === 'discarded') return { messages: [], turn: document.turn, startSeq: document.startSeq };
  const calls = await session.parts.store.calls(session.id, turnId);
  const finished = calls.map(({ toolUseId, name, result }) => ({ toolUseId, name, content: result.content, isError: result.isError }));
  return { messages: formats[format ?? document.format].writeMessages(finished), turn: document.turn, startSeq: document.startSeq };
}

/** A turn as the store has it. @throws Problem `turn-not-found`, `store-unavailable` */
export async function keptTurn({ id, parts }: Session, turnId: string): Promise<TurnRow> {
  const row = await parts.store.turn(id, turnId);
  if (row === null) throw new Problem('turn-not-found', `The session has no turn ${turnId.slice(0, 80)}.`);
  return row;
}

function isFinal({ record: { status } }: Turn): boolean {
  return status === 'completed' || status === 'aborted' || status === 'discarded';
}

/** Newest first, those that run or wait included. */
export async function listTurns(session: Session, query: { limit: number; cursor?: string }) {
  await Promise.all(session.turns.open.filter(isFinal).map(({ done }) => done));
  const page = await session.parts.store.turns({ sessionId: session.id, ...query });
  const kept = page.rows.map((row) => session.turns.find(row.id)?.record ?? row);
  const data = kept.map((turn) => ('calls' in turn ? summarise(turn) : (JSON.parse(turn.document) as TurnDocument).turn));
  const known = new Set(data.map(({ id }) => id));
  const waiting =
    query.cursor === undefined ? session.turns.open.map(({ record }) => summarise(record)).filter(({ id }) => !known.has(id)) : [];
  return { data: [...waiting.toReversed(), ...data], ...(page.nextCursor !== null && { next_cursor: page.nextCursor }) };
}
