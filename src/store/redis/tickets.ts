// Tickets of all nodes: each under its digest, and which of an owner wait in a set of their own, as the two lie in other slots.
// Redis itself takes away what nobody has used in time.
import type { Ticket, TicketStore } from '../../contract/index.ts';
import { ticketKey, waitingKey } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

/** Each call rejects with Problem `store-unavailable` while Redis is away. @param perOwner tickets of one owner that may wait */
export function redisTickets(link: Link, perOwner: number): TicketStore {
  return {
    async put(digest, ticket) {
      const stays = Math.max(1, Math.ceil(ticket.expiresAt - Date.now()));
      // First the room: a ticket without one could be made without end.
      const room = await link.run(SCRIPTS.ticketRoom, [waitingKey(ticket.owner)], [digest, stays, perOwner]);
      if (room !== 1) return false;
      const expiration = { type: 'PX', value: stays } as const;
      await link.ask(ticketKey(digest), (client, name) => client.set(name, JSON.stringify(ticket), { expiration }));
      return true;
    },
    async take(digest) {
      const kept = await link.ask(ticketKey(digest), (client, name) => client.getDel(name));
      if (kept === null) return null;
      const ticket = JSON.parse(kept) as Ticket;
      // When it cannot be told, its room is free again once it would have expired.
      await link.ask(waitingKey(ticket.owner), (client, name) => client.zRem(name, digest)).catch(() => undefined);
      return ticket;
    },
  };
}
