// A whole assistant message for a session: run once, however often it is sent. A retry joins the turn that still runs,
// or gets what was recorded.
import { Problem, type MessageFormat, type ToolUse } from '../contract/index.ts';
import type { Session } from './session.ts';
import type { Turn, TurnReply } from './turn.ts';
import { readTurn } from './turn-history.ts';
import { digestOf } from './turn-record.ts';

export type Submission =
  | { readonly kind: 'live'; readonly turn: Turn; readonly replayed: boolean }
  | { readonly kind: 'recorded'; readonly reply: TurnReply; readonly startSeq: number; readonly replayed: true };

/** @throws Problem `tool-use-id-reused`, `turn-queue-full`, `invalid-request` */
export async function submitMessage(session: Session, format: MessageFormat, calls: readonly ToolUse[]): Promise<Submission> {
  assertSize(session, calls.length);
  const submission = await session.gate.add(() => decide(session, format, calls));
  return submission;
}

async function decide(session: Session, format: MessageFormat, calls: readonly ToolUse[]): Promise<Submission> {
  if (session.settings.execution.call_ids === 'unique' && calls.length > 0) {
    const newest = session.newest();
    if (newest !== null && newest.digest === digestOf(calls)) {
      const live = session.openTurn(newest.id);
      if (live !== undefined) return { kind: 'live', turn: live, replayed: true };
      const { startSeq, ...reply } = await readTurn(session, newest.id, format);
      return { kind: 'recorded', reply, startSeq, replayed: true };
    }
    await assertNewIds(
      session,
      calls.map(({ id }) => id),
    );
  }
  return { kind: 'live', turn: session.startTurn(format, calls), replayed: false };
}

/** @throws Problem `tool-use-id-reused` when the session has had one of these ids before */
export async function assertNewIds(session: Session, ids: readonly string[]): Promise<void> {
  const live = ids.filter((id) => session.usesId(id));
  const used = live.length > 0 ? live : await session.parts.store.usedIds(session.id, ids);
  if (used.length === 0) return;
  const shown = used
    .slice(0, 5)
    .map((id) => JSON.stringify(id))
    .join(', ');
  throw new Problem(
    'tool-use-id-reused',
    `The session has already run tool_use ${shown}. Send the same message again to get its results, use new ids, or set execution.call_ids to "per_message".`,
  );
}

function assertSize(session: Session, count: number): void {
  const limit = session.parts.limits.callsPerTurn;
  if (count > limit) throw new Problem('invalid-request', `A message may hold at most ${limit} calls, this one has ${count}.`);
}
