// A whole assistant message for a session: run once, however often it is sent. A retry joins the turn that still runs,
// or gets what was recorded.
import { isDeepStrictEqual } from 'node:util';
import { Problem, type MessageFormat, type ToolUse } from '../../contract/index.ts';
import { withBoundName } from './bound-name.ts';
import type { Session } from '../session.ts';
import type { NewestTurn } from '../turn/turn-queue.ts';
import type { Turn, TurnReply } from '../turn/turn.ts';
import { readTurn } from '../turn/turn-history.ts';

export type Submission =
  | { readonly kind: 'live'; readonly turn: Turn; readonly replayed: boolean }
  | { readonly kind: 'recorded'; readonly reply: TurnReply; readonly startSeq: number; readonly replayed: true };

/** @throws Problem `tool-use-id-reused`, `turn-queue-full`, `invalid-request`, `draining`, `store-unavailable` */
export async function submitMessage(session: Session, format: MessageFormat, sent: readonly ToolUse[]): Promise<Submission> {
  assertSize(session, sent.length);
  const calls = sent.map(withBoundName);
  const start = (): Submission => ({ kind: 'live', turn: session.startTurn(format, calls), replayed: false });
  if (session.settings.execution.call_ids !== 'unique' || calls.length === 0) return start();
  const decided = await whenUnchanged(session, {
    decide: () => retryOf(session, calls),
    act: (retry) => (retry === null ? start() : (liveRetry(session, retry.id) ?? retry)),
  });
  return 'kind' in decided ? decided : submittedTurn(session, decided.id, format);
}

interface Step<Decision, Result> {
  /** May wait, for the store above all. */
  readonly decide: () => Promise<Decision>;
  /** Acts on the decision at once, so that nothing can come in between. */
  readonly act: (decision: Decision) => Result;
}

/** Acts on a decision that was waited for, and decides anew when something came or ended in the session meanwhile. */
export async function whenUnchanged<Decision, Result>(session: Session, { decide, act }: Step<Decision, Result>): Promise<Result> {
  for (;;) {
    const { version } = session;
    const decision = await decide();
    if (session.version === version) return act(decision);
  }
}

function liveRetry(session: Session, turnId: string): Submission | undefined {
  const turn = session.turns.find(turnId);
  return turn && { kind: 'live', turn, replayed: true };
}

/** A turn that was begun before: joined while it runs, else as it was recorded. @throws Problem `turn-not-found` */
export async function submittedTurn(session: Session, turnId: string, format: MessageFormat): Promise<Submission> {
  const live = liveRetry(session, turnId);
  if (live !== undefined) return live;
  const { startSeq, ...reply } = await readTurn(session, turnId, format);
  return { kind: 'recorded', reply, startSeq, replayed: true };
}

/** The turn that these calls are a retry of, or `null` when they are new. @throws Problem `tool-use-id-reused` */
async function retryOf(session: Session, calls: readonly ToolUse[]): Promise<NewestTurn | null> {
  const newest = session.turns.newest();
  if (newest !== null && (await isRetry(session, newest, calls))) return newest;
  await assertNewIds(
    session,
    calls.map(({ id }) => id),
  );
  return null;
}

/** Whether these are the calls of that turn: ids, names and inputs. The order of keys does not matter. */
async function isRetry(session: Session, newest: NewestTurn, calls: readonly ToolUse[]): Promise<boolean> {
  const { toolUseIds } = newest;
  if (toolUseIds.length !== calls.length || calls.some(({ id }, index) => id !== toolUseIds[index])) return false;
  const known = session.turns.find(newest.id)?.calls ?? (await recordedCalls(session, newest.id));
  return calls.every(({ name, input }, index) => {
    const before = known[index];
    return before !== undefined && before.name === name && isDeepStrictEqual(before.input ?? null, input ?? null);
  });
}

async function recordedCalls(session: Session, turnId: string): Promise<Pick<ToolUse, 'name' | 'input'>[]> {
  const rows = await session.parts.store.calls(session.id, turnId);
  return rows.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown }));
}

/** @throws Problem `tool-use-id-reused` when the session has had one of these ids before */
export async function assertNewIds(session: Session, ids: readonly string[]): Promise<void> {
  assertUnused(knownAmong(session, ids) ?? (await session.parts.store.usedIds(session.id, ids)));
}

/** Which of these the session has had before; `undefined` where only the store can tell. */
export function knownAmong({ turns, usedIds }: Session, ids: readonly string[]): string[] | undefined {
  const open = turns.open;
  const live = ids.filter((id) => open.some((turn) => turn.has(id)));
  return live.length > 0 ? live : usedIds.among(ids);
}

/** @param used ids that the session has had before. @throws Problem `tool-use-id-reused` when there are any */
export function assertUnused(used: readonly string[]): void {
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
