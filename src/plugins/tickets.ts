// Tickets: for whoever cannot send a key, such as a browser's WebSocket or EventSource. One opens one session's stream,
// once and soon. Only digests are kept, so that what is kept opens nothing.
import { createHash, randomBytes } from 'node:crypto';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../contract/index.ts';

/** `watch` may only look on. */
export type Scope = 'watch' | 'drive';

export interface Ticket {
  readonly owner: string;
  readonly sessionId: string;
  readonly scope: Scope;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Where tickets wait, by digest. Nodes behind one address need one that they share. */
export interface TicketStore {
  /** @returns false when the owner has as many waiting as it may */
  put(digest: string, ticket: Ticket): Promise<boolean>;
  /** Gives each ticket once, also when several ask at the same moment. */
  take(digest: string): Promise<Ticket | null>;
}

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
