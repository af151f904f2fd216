import type { ClientAnswer } from '../../contract/index.ts';
import type { Session } from '../session.ts';

/** A client's answer to one of its calls, as it names it. */
export interface ClientReply extends ClientAnswer {
  readonly toolUseId: string;
  /** Absent: the newest call with this id. */
  readonly turnId?: string;
}

/** Takes a client's answer; resolves when the call's end is in the log. @throws Problem `call-not-found`, `store-unavailable` */
export async function answerClientCall(session: Session, { toolUseId, turnId, content, isError }: ClientReply): Promise<void> {
  const answered = session.clientCalls.answer(toolUseId, { content, isError }, turnId);
  // The turn hears of the answer in a later moment than this one.
  await session.turns.find(answered)?.kept(toolUseId);
}
