// Who was allowed what and why, and what became of it, as JSON lines.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ownerOf } from '../src/plugins/auth.ts';
import { auditEntries, type AuditEntry } from '../src/sessions/audit.ts';
import { clientGone } from './event-stream.ts';
import { problems, SessionParams } from './schemas.ts';

export function auditRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  app.get(
    '/v1/sessions/:id/audit',
    {
      schema: {
        summary: 'Read who was allowed what and why, as JSON lines',
        tags: ['events'],
        params: SessionParams,
        querystring: z.object({ after: z.coerce.number().int().min(0).default(0).describe('Entries of events with a greater seq.') }),
        response: { 200: z.unknown(), ...problems },
      },
    },
    async (request, reply) => {
      const session = await server.services.sessions.get(ownerOf(request), request.params.id);
      const events = session.log.read({ after: 0, follow: false, signal: clientGone(reply) });
      const lines = Readable.from(jsonLines(auditEntries(events, { session, after: request.query.after })));
      return reply.type('application/x-ndjson').send(lines);
    },
  );
}

async function* jsonLines(batches: AsyncIterable<AuditEntry[]>): AsyncGenerator<string, void> {
  for await (const entries of batches) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
