// Tickets: a page's way into one session's stream, made by whoever has the key.
import { z } from 'zod';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { problems, SessionParams } from './schemas.ts';

const HOUR_MS = 3_600_000;
const scope = z.enum(['watch', 'drive']);

const TicketOptions = z.strictObject({
  scope: scope.default('drive').describe('`watch` may read events and change nothing.'),
  ttl_ms: z.int().min(1).max(HOUR_MS).default(30_000).describe('How long the ticket waits to be used.'),
});

const TicketReply = z.object({
  ticket: z.string().describe("Goes into `?ticket=` of the session's `stream` or `events`, once."),
  scope,
  expires_at: z.iso.datetime(),
});

export function ticketRoutes(app: App): void {
  app.post(
    '/v1/sessions/:id/tickets',
    {
      schema: {
        summary: 'Make a ticket for one socket or event stream',
        tags: ['sessions'],
        params: SessionParams,
        body: TicketOptions.nullish(),
        response: { 201: TicketReply, ...problems },
      },
    },
    async (request, reply) => {
      const { id: sessionId, owner } = await sessionOf(request);
      const options = request.body ?? TicketOptions.parse({});
      const expiresAt = Date.now() + options.ttl_ms;
      const ticket = await app.tickets.issue({ owner, sessionId, scope: options.scope, expiresAt });
      // A copy on the way would be a way in.
      void reply.status(201).header('cache-control', 'no-store');
      return { ticket, scope: options.scope, expires_at: new Date(expiresAt).toISOString() };
    },
  );
}
