// A session's log: as a stream from a point on, or as JSON up to now.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { ownerOf } from '../src/plugins/auth.ts';
import { clientGone, sendEventStream } from './event-stream.ts';
import { wantsJson } from './preferences.ts';
import { problems, SessionParams } from './schemas.ts';

const EVENTS_A_PAGE = 1_000;

export function eventRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.get(
    '/v1/sessions/:id/events',
    {
      schema: {
        summary: "Read the session's log, as Server-Sent Events or JSON",
        tags: ['events'],
        params: SessionParams,
        querystring: z.object({
          after: z.coerce.number().int().min(0).optional().describe('Events with a greater seq; `Last-Event-ID` does the same.'),
          follow: z.enum(['true', 'false']).default('true').describe('`false` ends the stream at the present.'),
        }),
        response: { 200: z.object({ data: z.array(z.record(z.string(), z.unknown())), last_seq: z.int() }), ...problems },
      },
    },
    async (request, reply) => {
      const session = await server.services.sessions.get(ownerOf(request), request.params.id);
      const after = request.query.after ?? lastEventId(request.headers['last-event-id']);
      const signal = clientGone(reply);
      if (!wantsJson(request)) {
        return sendEventStream(reply, session.log.read({ after, follow: request.query.follow === 'true', signal }), signal);
      }
      const events: string[] = [];
      for await (const items of session.log.read({ after, follow: false, signal })) {
        if (events.push(...items.map(({ json }) => json)) >= EVENTS_A_PAGE) break;
      }
      const body = `{"data":[${events.join(',')}],"last_seq":${session.log.lastSeq}}`;
      return reply.type('application/json; charset=utf-8').send(body as never);
    },
  );
}

function lastEventId(header: string | string[] | undefined): number {
  if (header === undefined || header === '') return 0;
  const seq = Number(header);
  if (!Number.isSafeInteger(seq) || seq < 0)
    throw new Problem('invalid-request', 'Last-Event-ID must be the seq of an event, a whole number.');
  return seq;
}
