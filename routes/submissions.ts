// A message on its way from a body to a reply, whichever session it runs in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MessageFormat, ToolUse } from '../src/contract/index.ts';
import { detectFormat } from '../src/formats/detect.ts';
import { formats } from '../src/formats/formats.ts';
import type { Kept } from '../src/plugins/idempotency.ts';
import { submittedTurn, type Submission } from '../src/sessions/input/submit.ts';
import { finishedCalls } from '../src/sessions/turn/turn-record.ts';
import type { Session } from '../src/sessions/session.ts';
import type { Turn, TurnReply } from '../src/sessions/turn/turn.ts';

export interface ReadMessage {
  readonly format: MessageFormat;
  readonly calls: readonly ToolUse[];
}

/** @throws Problem `invalid-request`, `duplicate-tool-use-id` */
export function readMessage(body: unknown, asked: string | undefined): ReadMessage {
  const format = detectFormat(body, asked);
  return { format, calls: formats[format].readCalls(body) };
}

/** Begins a turn once for all requests with the same Idempotency-Key: whoever repeats one gets that turn, in the format asked for now. */
export function submitOnce(
  request: FastifyRequest,
  session: Session,
  { format, submit }: { readonly format: MessageFormat; readonly submit: () => Promise<Submission> },
): Promise<Submission> {
  return request.server.idempotent(request, {
    make: submit,
    keep: async (made) => {
      if (made.kind === 'live') await session.keepQueued(made.turn);
      return keepTurn(session.id, made);
    },
    again: (kept) => submittedTurn(session, keptTurn(kept).turn_id, format),
  });
}

/** Tells whoever has sent the same before that this is what became of it. */
export function markReplayed(reply: FastifyReply, { replayed }: Submission): void {
  if (replayed) void reply.header('toolexec-replayed', 'true');
}

/** The turn of a submission, as an Idempotency-Key finds it again. */
export function keepTurn(sessionId: string, submission: Submission): Kept {
  const turnId = submission.kind === 'live' ? submission.turn.id : submission.reply.turn.id;
  return { status: 202, headers: {}, body: JSON.stringify({ session_id: sessionId, turn_id: turnId } satisfies KeptTurn) };
}

export interface KeptTurn {
  readonly session_id: string;
  readonly turn_id: string;
}

/** What {@link keepTurn} has kept. */
export function keptTurn({ body }: Kept): KeptTurn {
  return JSON.parse(body) as KeptTurn;
}

/**
 * The reply once the turn has ended, or it or one before it needs somebody, in the format that was asked for now.
 * @throws Problem `store-unavailable`
 */
export async function settled(session: Session, submission: Submission, format: MessageFormat): Promise<TurnReply> {
  if (submission.kind === 'recorded') return submission.reply;
  const { turn } = submission;
  const { record } = turn;
  const over = new AbortController();
  // Nobody answers a call that waits for people while its client waits for the answer.
  const reply = await Promise.race([turn.done, session.turns.neededFor(turn, over.signal).then(stands(turn))]);
  // With a reason: without one an error is made, stack and all, for each message.
  over.abort('answered');
  if (reply.turn.status === 'requires_action') return reply;
  if (record.format === format || reply.turn.status === 'discarded') return reply;
  return { messages: formats[format].writeMessages(finishedCalls(record)), turn: reply.turn };
}

/** How a turn stands while it, or one before it, needs people: `pending` is what they are asked. */
function stands(turn: Turn): (needing: Turn) => TurnReply {
  return (needing) => {
    const { pending = [] } = needing.progress();
    return { messages: [], turn: { ...turn.summary(), status: 'requires_action' }, pending };
  };
}

/** The last event of a turn, made of its reply: for a reader whom the log cannot give it. */
export function lastEvent(sessionId: string, { messages, turn }: TurnReply) {
  const head = { seq: turn.last_seq, time: new Date().toISOString(), session_id: sessionId, turn_id: turn.id };
  if (turn.status === 'discarded') return { type: 'turn_discarded' as const, ...head, turn };
  return { type: 'turn_completed' as const, ...head, messages, turn };
}
