// Tickets: for whoever cannot send a key, such as a browser's WebSocket or EventSource. One opens one session's stream,
// once and soon. Only digests are kept, so that what is kept opens nothing.
import { createHash, randomBytes } from 'node:crypto';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { Problem, type Ticket, type TicketStore } from '../../contract/index.ts';

export interface Tickets {
  /** @returns the text to hand out. @throws Problem `too-many-requests` */
  issue(ticket: Ticket): Promise<string>;
  /** Uses it up, whatever comes of it. @returns null for one that is unknown, used, late or another session's */
  redeem(text: string, sessionId: string): Promise<Ticket | null>;
}

declare module 'fastify' {
  interface FastifyInstance {
    tickets: Tickets;
  }
}

/** @param store shared by all nodes that a client may be sent to */
export const tickets = fastifyPlugin<{ store: TicketStore }>((app: FastifyInstance, { store }, done) => {
  app.decorate('tickets', {
    async issue(ticket) {
      const text = `tkt_${randomBytes(32).toString('base64url')}`;
      if (await store.put(digestOf(text), ticket)) return text;
      throw new Problem('too-many-requests', 'Too many tickets of this key wait to be used: use them, or let them expire.', {
        retryAfterSeconds: 10,
      });
    },
    async redeem(text, sessionId) {
      const ticket = await store.take(digestOf(text));
      return ticket !== null && ticket.expiresAt > Date.now() && ticket.sessionId === sessionId ? ticket : null;
    },
  });
  done();
});

/** Tickets of one process. */
export function ticketsInMemory(perOwner: number): TicketStore {
  const byOwner = new Map<string, Map<string, Ticket>>();
  return {
    put(digest, ticket) {
      const waiting = byOwner.get(ticket.owner) ?? new Map<string, Ticket>();
      byOwner.set(ticket.owner, waiting);
      const now = Date.now();
      for (const [other, { expiresAt }] of waiting) if (expiresAt <= now) waiting.delete(other);
      const room = waiting.size < perOwner;
      if (room) waiting.set(digest, ticket);
      return Promise.resolve(room);
    },
    take(digest) {
      for (const waiting of byOwner.values()) {
        const ticket = waiting.get(digest);
        if (ticket === undefined) continue;
        waiting.delete(digest);
        return Promise.resolve(ticket);
      }
      return Promise.resolve(null);
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
