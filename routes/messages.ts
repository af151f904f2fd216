// A whole assistant message: run it, and answer as JSON, as a stream of events, or at once.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { ownerOf } from '../src/plugins/auth.ts';
import { cutOffSlowClients } from '../src/plugins/cut-off.ts';
import { submitMessage, submittedTurn } from '../src/sessions/submit.ts';
import { turnEvents } from '../src/sessions/turn-events.ts';
import { clientGone, sendEventStream } from './event-stream.ts';
import { sendJson } from './json-reply.ts';
import { oneShotRoutes } from './one-shot.ts';
import { prefersAsync, wantsEventStream } from './preferences.ts';
import { AssistantMessage, FormatQuery, MessageReply, problems, SessionParams } from './schemas.ts';
import { keepTurn, keptTurn, readMessage, settled } from './submissions.ts';

export function messageRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  cutOffSlowClients(server);
  oneShotRoutes(server);

  app.post(
    '/v1/sessions/:id/messages',
    {
      config: { idempotent: true },
      schema: {
        summary: 'Run the tool calls of an assistant message',
        tags: ['messages'],
        params: SessionParams,
        querystring: FormatQuery,
        body: AssistantMessage,
        response: { 200: MessageReply, 202: MessageReply, ...problems },
      },
    },
    async (request, reply) => {
      const session = await server.services.sessions.get(ownerOf(request), request.params.id);
      const { format, calls } = readMessage(request.body, request.query.format);
      if (wantsEventStream(request)) server.eventStreams.assertRoom(session.owner);
      const submission = await server.idempotent(request, {
        make: () => submitMessage(session, format, calls),
        keep: async (made) => {
          if (made.kind === 'live') await session.keepQueued(made.turn);
          return keepTurn(session.id, made);
        },
        again: (kept) => submittedTurn(session, keptTurn(kept).turn_id, format),
      });
      if (submission.replayed) void reply.header('toolexec-replayed', 'true');
      if (wantsEventStream(request)) {
        const signal = clientGone(reply);
        return sendEventStream(reply, turnEvents(session, submission, signal), signal);
      }
      if (submission.kind === 'live' && prefersAsync(request)) {
        const { turn } = submission;
        await session.keepQueued(turn);
        void reply.header('location', `/v1/sessions/${session.id}/turns/${turn.id}`).header('preference-applied', 'respond-async');
        return sendJson(reply.status(202), { messages: [], turn: turn.summary() });
      }
      return sendJson(reply, await settled(session, submission, format));
    },
  );
}
