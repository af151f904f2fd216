// One tool called by its name: a turn of its own with one call, for those who want a result and hold no conversation.
import { randomUUID } from 'node:crypto';
import type { MessageFormat, Outcome, ResultContent, ToolUse } from '../../contract/index.ts';
import { withBoundName } from './bound-name.ts';
import type { LogItem } from '../log/log-reader.ts';
import type { Session } from '../session.ts';
import { eachEvent } from '../turn/turn-events.ts';
import type { PendingAction, Turn, TurnReply } from '../turn/turn.ts';

/** A call that nobody has given an id; `inputError` as in {@link ToolUse}. */
export type NamedCall = Omit<ToolUse, 'id'>;

/** A call that is under way. */
export interface OneCall {
  readonly turn: Turn;
  readonly toolUseId: string;
}

export interface OneCallWatch {
  /** Cancels the call when it fires. */
  readonly signal?: AbortSignal;
  /** What the call tells while it runs; a slow reader is told less. It must not throw. */
  readonly onProgress?: (data: unknown) => void;
  /** Waits for the end, also while people or the client must do something first. */
  readonly untilEnd?: boolean;
}

export interface OneCallResult {
  readonly turnId: string;
  /** `null` while the call waits for people or the client. */
  readonly outcome: Outcome | null;
  readonly isError: boolean;
  /** `null` while the call has no result. */
  readonly content: ResultContent | null;
  /** Paths of the values that were repaired to fit the tool's schema. */
  readonly coerced: readonly string[];
  /** What is waited for. */
  readonly pending: readonly PendingAction[];
}

/**
 * Begins a turn with this one call.
 * @param format in which the tool believes to be asked, where its answer depends on that
 * @throws Problem `draining`, `turn-queue-full`, `store-unavailable`, `session-not-found`
 */
export function beginOneCall(session: Session, call: NamedCall, format: MessageFormat = 'anthropic'): OneCall {
  const use = withNewId(call);
  return { turn: session.startTurn(format, [use]), toolUseId: use.id };
}

/** The call as a model would have sent it. */
export function withNewId(call: NamedCall): ToolUse {
  return withBoundName({ ...call, id: `toolu_${randomUUID().replaceAll('-', '')}` });
}

/** Resolves when the call has ended, or needs somebody to go on. @throws Problem `store-unavailable` */
export async function watchOneCall(session: Session, call: OneCall, watch: OneCallWatch = {}): Promise<OneCallResult> {
  const { turn, toolUseId } = call;
  const { signal, onProgress, untilEnd = false } = watch;
  const cancel = (): void => cancelOneCall(session, call);
  const leaving = new AbortController();
  const tell = ({ type, json }: LogItem): void => {
    if (type === 'progress') onProgress?.((JSON.parse(json) as { data: unknown }).data);
  };
  const told = onProgress === undefined ? undefined : eachEvent(session, turn, { tell, signal: leaving.signal });
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted === true) cancel();
  try {
    const reply = await Promise.race([turn.done, ...(untilEnd ? [] : [turn.actionNeeded(leaving.signal).then(() => null)])]);
    // All progress comes before the result.
    if (reply !== null) await told;
    return resultOf(reply ?? turn.progress(), turn.record.calls.get(toolUseId)?.result?.content);
  } finally {
    signal?.removeEventListener('abort', cancel);
    leaving.abort();
  }
}

/** Stops the call, also before it has begun. */
export function cancelOneCall(session: Session, { turn, toolUseId }: OneCall): void {
  // A closed session has ended its calls already, or left them to whoever opens it next.
  if (!session.closed) turn.cancel(toolUseId);
}

/** What has become of the one call of a turn. @param reply in Anthropic's format, where it holds the result */
export function readOneCall(reply: TurnReply): OneCallResult {
  const [message] = reply.messages;
  const [block] = message !== undefined && 'role' in message && message.role === 'user' ? message.content : [];
  return resultOf(reply, block?.type === 'tool_result' ? block.content : undefined);
}

function resultOf({ turn, pending = [] }: TurnReply, content: ResultContent = ''): OneCallResult {
  // A turn that has not begun does not name its call yet.
  const [call] = turn.calls;
  const outcome = call?.outcome ?? null;
  return {
    turnId: turn.id,
    outcome,
    isError: call?.is_error ?? false,
    content: outcome === null ? null : content,
    coerced: call?.coerced ?? [],
    pending,
  };
}
