// A message in a session of its own. The session is removed once the turn has ended and its answer is written, whether
// or not the client is still there; with an Idempotency-Key the reply outlives it.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { Problem } from '../src/contract/index.ts';
import { ownerOf } from '../src/plugins/auth.ts';
import { KEEP_MS, keyOf } from '../src/plugins/idempotency.ts';
import type { LogItem } from '../src/sessions/log-reader.ts';
import { SessionOptions, type SessionSettings } from '../src/sessions/session-options.ts';
import type { Session } from '../src/sessions/session.ts';
import { submitMessage, type Submission, submittedTurn } from '../src/sessions/submit.ts';
import { turnEvents } from '../src/sessions/turn-events.ts';
import type { Turn, TurnReply } from '../src/sessions/turn.ts';
import { clientGone, sendEventStream } from './event-stream.ts';
import { sendJson } from './json-reply.ts';
import { wantsEventStream } from './preferences.ts';
import { FormatQuery, MessageReply, OneShotMessage, problems } from './schemas.ts';
import { keepTurn, keptTurn, lastEvent, readMessage, settled, type KeptTurn, type ReadMessage } from './submissions.ts';

export function oneShotRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  const removals = new Set<Promise<void>>();
  // The store must not be closed under them.
  server.addHook('preClose', async () => {
    await Promise.all(removals);
  });

  app.post(
    '/v1/messages',
    {
      config: { idempotent: true },
      schema: {
        summary: 'Run an assistant message in a session made for it alone',
        tags: ['messages'],
        querystring: FormatQuery,
        body: OneShotMessage,
        response: { 200: MessageReply, ...problems },
      },
    },
    async (request, reply) => {
      const message = readMessage(request.body, request.query.format);
      if (wantsEventStream(request)) server.eventStreams.assertRoom(ownerOf(request));
      const oneShot = await server.idempotent<OneShot>(request, {
        make: () => begin(request, message, settingsOf(request, request.body.session)),
        keep: ({ sessionId, submission }) => keepTurn(sessionId, submission),
        again: (kept) => findAgain(request, message, keptTurn(kept)),
      });
      const { submission, events, remove } = oneShot;
      if (submission.replayed) void reply.header('toolexec-replayed', 'true');
      const answered = Promise.withResolvers<void>();
      const removed = answered.promise.then(remove).finally(() => removals.delete(removed));
      removals.add(removed);
      const end = (): Promise<void> => {
        answered.resolve();
        return removed;
      };
      if (wantsEventStream(request)) {
        const signal = clientGone(reply);
        return sendEventStream(reply, eventsThen(events(signal), end), signal);
      }
      let body: TurnReply;
      try {
        body = await oneShot.settled();
      } finally {
        await end();
      }
      return sendJson(reply, body);
    },
  );
}

/**
 * Only a client that reads along can be asked whether a call may run, or to run one.
 * @throws Problem `invalid-request` for tools that nobody could run
 */
function settingsOf(request: FastifyRequest, asked: SessionSettings = SessionOptions.parse({})): SessionSettings {
  if (wantsEventStream(request)) return asked;
  if (asked.tools.custom.some(({ client }) => client === true)) {
    throw new Problem('invalid-request', 'Tools that the client runs need a session, or a reply as text/event-stream.', {
      issues: [{ path: 'session.tools.custom', message: 'has tools with client: true' }],
    });
  }
  return { ...asked, permissions: { ...asked.permissions, ask_timeout_ms: 0 } };
}

interface OneShot {
  readonly sessionId: string;
  readonly submission: Submission;
  readonly events: (signal: AbortSignal) => AsyncIterable<LogItem[]>;
  /** The reply once the turn has ended. */
  readonly settled: () => Promise<TurnReply>;
  /** Never throws. */
  readonly remove: () => Promise<void>;
}

async function begin(request: FastifyRequest, { format, calls }: ReadMessage, settings: SessionSettings): Promise<OneShot> {
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

/** The same one-shot for a request that is repeated. @throws Problem when neither its turn nor its reply are there any more */
async function findAgain(request: FastifyRequest, { format }: ReadMessage, { session_id, turn_id }: KeptTurn): Promise<OneShot> {
  const { sessions, store } = request.server.services;
  const owner = ownerOf(request);
  const found = { sessionId: session_id, remove: () => Promise.resolve() };
  try {
    const session = await sessions.get(owner, session_id);
    const submission = await submittedTurn(session, turn_id, format);
    return {
      ...found,
      submission,
      events: (signal) => turnEvents(session, submission, signal),
      settled: () => settled(session, submission, format),
    };
  } catch (error) {
    const kept = await store.idempotency(owner, replyName(turn_id));
    if (kept === null) throw error;
    const reply = JSON.parse(kept.body) as TurnReply;
    const submission: Submission = { kind: 'recorded', reply, startSeq: 0, replayed: true };
    return { ...found, submission, events: () => lastEventAlone(session_id, reply), settled: () => Promise.resolve(reply) };
  }
}

/** A client that leaves does not cancel its turn: its end is waited for. */
async function removeOneShot(request: FastifyRequest, session: Session, submission: Submission): Promise<void> {
  const { sessions } = request.server.services;
  try {
    await session.idle();
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

async function* eventsThen(events: AsyncIterable<LogItem[]>, end: () => Promise<void>): AsyncGenerator<LogItem[], void> {
  try {
    yield* events;
  } finally {
    await end();
  }
}

async function* lastEventAlone(sessionId: string, reply: TurnReply): AsyncGenerator<LogItem[], void> {
  const event = lastEvent(sessionId, reply);
  yield [{ type: event.type, seq: event.seq, turnId: reply.turn.id, json: JSON.stringify(event) }];
}
