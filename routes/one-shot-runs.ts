// Messages in sessions of their own. Such a session is removed once its turn has ended and its answer is written, whether
// or not the client is still there; with an Idempotency-Key the reply outlives it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../src/contract/index.ts';
import { ownerOf } from '../src/plugins/access/auth.ts';
import { KEEP_MS, keyOf } from '../src/plugins/idempotency.ts';
import type { LogItem } from '../src/sessions/log/log-reader.ts';
import type { SessionSettings } from '../src/sessions/settings/session-options.ts';
import type { Session } from '../src/sessions/session.ts';
import { isElsewhere } from '../src/sessions/recovery/take-lease.ts';
import { submitMessage, submittedTurn, type Submission } from '../src/sessions/input/submit.ts';
import { turnEvents } from '../src/sessions/turn/turn-events.ts';
import type { Turn, TurnReply } from '../src/sessions/turn/turn.ts';
import { keepTurn, keptTurn, lastEvent, settled, type KeptTurn, type ReadMessage } from './submissions.ts';

/** How often a node looks whether what runs at another has ended, in milliseconds. */
const LOOK_MS = 200;

/** A message that runs in a session of its own, or has run there. */
export interface OneShotRun {
  readonly submission: Submission;
  readonly events: (signal: AbortSignal) => AsyncIterable<LogItem[]>;
  /** The reply once the turn has ended. @throws Problem `store-unavailable` */
  readonly settled: () => Promise<TurnReply>;
  /** Call it when the answer is written: resolves when the session is gone. Never throws. */
  readonly end: () => Promise<void>;
}

type Made = Omit<OneShotRun, 'end'> & { readonly sessionId: string; readonly remove: () => Promise<void> };

/** Begins messages of requests, or finds those that were sent before. The service does not stop before their sessions are gone. */
export function oneShotRuns(server: FastifyInstance) {
  const removals = new Set<Promise<void>>();
  // The store must not be closed under them.
  server.addHook('preClose', async () => {
    await Promise.all(removals);
  });

  return async (request: FastifyRequest, message: ReadMessage, settings: SessionSettings): Promise<OneShotRun> => {
    const {
      submission,
      events,
      settled: reply,
      remove,
    } = await server.idempotent<Made>(request, {
      make: () => begin(request, message, settings),
      keep: (made) => keepTurn(made.sessionId, made.submission),
      drop: (made) => server.services.sessions.remove(ownerOf(request), made.sessionId),
      again: (kept) => findAgain(request, message, keptTurn(kept)),
    });
    const answered = Promise.withResolvers<void>();
    const removed = answered.promise.then(remove).finally(() => removals.delete(removed));
    removals.add(removed);
    const end = (): Promise<void> => {
      answered.resolve();
      return removed;
    };
    return { submission, events, settled: reply, end };
  };
}

/**
 * Settings under which nobody is asked whether a call may run: who waits for the reply cannot answer.
 * @throws Problem `invalid-request` for tools that nobody could run
 */
export function withoutPeople(asked: SessionSettings): SessionSettings {
  if (asked.tools.custom.some(({ client }) => client === true)) {
    throw new Problem('invalid-request', 'Tools that the client runs need a session, or a reply as text/event-stream.', {
      issues: [{ path: 'session.tools.custom', message: 'has tools with client: true' }],
    });
  }
  return { ...asked, permissions: { ...asked.permissions, ask_timeout_ms: 0 } };
}

async function begin(request: FastifyRequest, { format, calls }: ReadMessage, settings: SessionSettings): Promise<Made> {
  const { sessions } = request.server.services;
  const owner = ownerOf(request);
  const session = await sessions.create(owner, settings, { repeatable: keyOf(request) !== null });
  try {
    const submission = await submitMessage(session, format, calls);
    return {
      sessionId: session.id,
      submission,
      events: (signal) => turnEvents(session, submission, signal),
      settled: () => settled(session, submission, format),
      remove: () => removeOneShot(request, session, submission),
    };
  } catch (error) {
    await sessions.remove(owner, session.id);
    throw error;
  }
}

/**
 * The same one-shot for a request that is repeated: joined where it runs here, waited for where it runs at another node.
 * @throws Problem when neither its turn nor its reply are there any more
 */
async function findAgain(request: FastifyRequest, message: ReadMessage, kept: KeptTurn): Promise<Made> {
  for (;;) {
    try {
      return await joinAgain(request, message, kept);
    } catch (error) {
      const reply = await keptReply(request, kept);
      if (reply !== null) return reply;
      if (!isElsewhere(error) || request.raw.socket.destroyed) throw error;
    }
    await sleep(LOOK_MS);
  }
}

async function joinAgain(request: FastifyRequest, { format }: ReadMessage, { session_id, turn_id }: KeptTurn): Promise<Made> {
  const session = await request.server.services.sessions.get(ownerOf(request), session_id);
  const submission = await submittedTurn(session, turn_id, format);
  return {
    sessionId: session_id,
    submission,
    events: (signal) => turnEvents(session, submission, signal),
    settled: () => settled(session, submission, format),
    remove: () => Promise.resolve(),
  };
}

/** `null` while there is none. */
async function keptReply(request: FastifyRequest, { session_id: sessionId, turn_id }: KeptTurn): Promise<Made | null> {
  const kept = await request.server.services.store.idempotency(ownerOf(request), replyName(turn_id));
  if (kept === null) return null;
  const reply = JSON.parse(kept.body) as TurnReply;
  const submission: Submission = { kind: 'recorded', reply, startSeq: 0, replayed: true };
  return {
    sessionId,
    submission,
    events: () => lastEventAlone(sessionId, reply),
    settled: () => Promise.resolve(reply),
    remove: () => Promise.resolve(),
  };
}

/** A client that leaves does not cancel its turn: its end is waited for. */
async function removeOneShot(request: FastifyRequest, session: Session, submission: Submission): Promise<void> {
  const { sessions } = request.server.services;
  try {
    await session.turns.idle();
    if (keyOf(request) !== null && submission.kind === 'live') await keepReply(request, submission.turn);
    await sessions.remove(ownerOf(request), session.id);
  } catch (error) {
    request.log.error({ err: error, session_id: session.id }, 'a one-shot session was not removed: it goes when its time is over');
  }
}

async function keepReply(request: FastifyRequest, turn: Turn): Promise<void> {
  const body = JSON.stringify(await turn.done);
  const record = { digest: '', status: 200, headers: {}, body, expiresAt: Date.now() + KEEP_MS };
  await request.server.services.store.remember(ownerOf(request), replyName(turn.id), record);
}

/** Under this name, which no Idempotency-Key can have, a reply is found when its session is gone. */
function replyName(turnId: string): string {
  return `reply of ${turnId}`;
}

async function* lastEventAlone(sessionId: string, reply: TurnReply): AsyncGenerator<LogItem[], void> {
  const event = lastEvent(sessionId, reply);
  yield [{ type: event.type, seq: event.seq, turnId: reply.turn.id, json: JSON.stringify(event) }];
}
