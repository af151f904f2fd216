// A whole assistant message: run it, and answer as JSON, as a stream of events, or at once.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { detectFormat } from '../src/formats/detect.ts';
import { formats } from '../src/formats/formats.ts';
import { ownerOf } from '../src/plugins/auth.ts';
import type { Session } from '../src/sessions/session.ts';
import { SessionOptions } from '../src/sessions/session-options.ts';
import { submitMessage, type Submission } from '../src/sessions/submit.ts';
import { turnEvents } from '../src/sessions/turn-events.ts';
import { clientGone, sendEventStream } from './event-stream.ts';
import { prefersAsync, wantsEventStream } from './preferences.ts';
import { AssistantMessage, MessageReply, OneShotMessage, problems, SessionParams } from './schemas.ts';

const FormatQuery = z.object({ format: z.string().max(50).optional().describe('Recognised from the shape when absent.') });

export function messageRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  const { sessions } = server.services;

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
      const session = await sessions.get(ownerOf(request), request.params.id);
      return run({ session, request, reply, mayLeave: true });
    },
  );

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
      const owner = ownerOf(request);
      const session = await sessions.create(owner, request.body.session ?? SessionOptions.parse({}));
      try {
        return await run({ session, request, reply, mayLeave: false });
      } finally {
        await sessions.remove(owner, session.id);
      }
    },
  );
}

interface Run {
  readonly session: Session;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whether the turn outlives its request, so that it may be answered at once. */
  readonly mayLeave: boolean;
}

async function run({ session, request, reply, mayLeave }: Run): Promise<FastifyReply | void> {
  const { format: asked } = request.query as z.output<typeof FormatQuery>;
  const format = detectFormat(request.body, asked);
  const submission = await submitMessage(session, format, formats[format].readCalls(request.body));
  if (submission.replayed) void reply.header('toolexec-replayed', 'true');
  if (wantsEventStream(request)) {
    const signal = clientGone(reply);
    return sendEventStream(reply, turnEvents(session, submission, signal), signal);
  }
  if (mayLeave && submission.kind === 'live' && prefersAsync(request)) {
    void reply.header('location', `/v1/sessions/${session.id}/turns/${submission.turn.id}`).header('preference-applied', 'respond-async');
    return send(reply.status(202), { messages: [], turn: submission.turn.summary() });
  }
  return send(reply, await settled(submission));
}

function settled(submission: Submission) {
  return submission.kind === 'live' ? submission.turn.done : submission.reply;
}

function send(reply: FastifyReply, body: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}
