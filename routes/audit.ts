// Who was allowed what and why, and what became of it, as JSON lines.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { clientGone } from '../src/plugins/client-gone.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { auditEntries, type AuditEntry } from '../src/sessions/log/audit.ts';
import { problems, SessionParams } from './schemas.ts';

export function auditRoutes(app: App): void {
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
      const session = await sessionOf(request);
      const events = session.log.read({ after: 0, follow: false, signal: clientGone(reply) });
      const lines = Readable.from(jsonLines(auditEntries(events, { session, after: request.query.after })));
      return reply.type('application/x-ndjson').send(lines);
    },
  );
}

async function* jsonLines(batches: AsyncIterable<AuditEntry[]>): AsyncGenerator<string, void> {
  for await (const entries of batches) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}
