// Who is asking: the key, or the ticket where a route takes one, names the owner of all that the request makes and may
// see. Then its requests are counted. Nothing of a body is read before.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type {} from '@fastify/websocket';
import type { Config } from '../../config.ts';
import { Problem, type Scope } from '../../contract/index.ts';
import type {} from './forwarded.ts';
import { keyLookup, presentedKey } from './keys.ts';
import { requestRates, type RateOptions } from './request-rates.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the key that asks; the empty string when the service runs without keys, `null` when no valid key came. */
    owner: string | null;
    /** `watch`: nothing may be changed by what comes this way. */
    scope: Scope;
  }
  interface FastifyContextConfig {
    /** Answers without a key. */
    public?: boolean;
    /** Takes `?ticket=` for the session `:id`. */
    ticket?: boolean;
    /** Takes sockets, and tells them itself when no valid key came. */
    socket?: boolean;
  }
}

export interface AuthOptions {
  readonly keys: Config['keys'];
  readonly rates: RateOptions;
}

interface Identity {
  readonly owner: string | null;
  readonly scope: Scope;
}

/** Needs the plugins `tickets` and `forwarded`. */
export const auth = fastifyPlugin<AuthOptions>(async (app: FastifyInstance, { keys, rates }) => {
  const ownerOfKey = keyLookup(keys);
  const counts = await requestRates(app, rates);
  app.decorateRequest('owner', null);
  app.decorateRequest('scope', 'drive');

  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.public === true) return;
    if (request.forwarded) {
      // Counted where it came in.
      ({ owner: request.owner, scope: request.scope } = request.forwarded);
      return;
    }
    const key = presentedKey(request);
    const ticket = key === undefined ? presentedTicket(request) : undefined;
    const { owner, scope } = ticket === undefined ? byKey(key) : await byTicket(ticket, request);
    request.owner = owner;
    request.scope = scope;
    if (owner !== null) {
      // Without keys there is nobody whom others would have to be protected from.
      if (keys.length > 0) await counts.countRequest(request);
      return;
    }
    if (key !== undefined || ticket !== undefined) await counts.countFailure(request);
    // A browser cannot see why an upgrade was refused: sockets are accepted and closed with a code instead.
    if (!request.ws || request.routeOptions.config.socket !== true) throw unauthorized();
  });

  function byKey(key: string | undefined): Identity {
    return { owner: ownerOfKey(key), scope: 'drive' };
  }

  async function byTicket(text: string, request: FastifyRequest): Promise<Identity> {
    const { id } = request.params as { id?: string };
    return (await app.tickets.redeem(text, id ?? '')) ?? { owner: null, scope: 'watch' };
  }
});

/** @throws Problem `unauthorized` */
export function ownerOf({ owner }: Pick<FastifyRequest, 'owner'>): string {
  if (owner === null) throw unauthorized();
  return owner;
}

function presentedTicket({ routeOptions, query }: FastifyRequest): string | undefined {
  if (routeOptions.config.ticket !== true) return undefined;
  const { ticket } = query as { ticket?: string | string[] };
  return typeof ticket === 'string' ? ticket : ticket?.join();
}

function unauthorized(): Problem {
  return new Problem('unauthorized', 'A valid key is needed: send it as Authorization: Bearer <key>.');
}
