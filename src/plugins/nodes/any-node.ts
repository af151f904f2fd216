// Every node takes every request: one about a session on which another node works is passed on to that, and its reply is
// passed back. The node that works on it never passes it on again.
import type { OutgoingHttpHeaders } from 'node:http';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type {} from '@fastify/websocket';
import { createForwarder, isRepeatable, type Exchange } from '../../cluster/forward-request.ts';
import { forwardSocket, type SocketClient } from '../../cluster/forward-socket.ts';
import { tellIdentity } from '../../cluster/identity.ts';
import { listeningUrl } from '../../cluster/listening-url.ts';
import { reachOwner } from '../../cluster/reach-owner.ts';
import { Whereabouts } from '../../cluster/whereabouts.ts';
import type { Leases, Nodes } from '../../contract/index.ts';
import { clientGone } from '../client-gone.ts';
import type {} from '../access/forwarded.ts';
import { removesSession, servedHere, SESSION } from './served-here.ts';
import type {} from '../services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where a request names its session that is not under `/v1/sessions/:id`, as `session_id`. */
    sessionIn?: 'query' | 'body';
  }
  interface FastifyInstance {
    /** `null` when there are no other nodes. */
    anyNode: AnyNode | null;
  }
}

/** The client's end of a socket. */
export interface SocketEndpoint extends Pick<SocketClient, 'frames' | 'send' | 'close'> {
  /** Aborted when the client has left. */
  readonly left: AbortSignal;
}

export interface AnyNode {
  /**
   * Serves a socket at the node that works on its session, until it ends.
   * @returns false when it is to be served here
   * @throws Problem `session-elsewhere`, `store-unavailable`
   */
  serveSocket(request: FastifyRequest, sessionId: string, endpoint: SocketEndpoint): Promise<boolean>;
}

export interface AnyNodeOptions {
  /** Absent when there are no others. */
  readonly nodes: Nodes | undefined;
  readonly leases: Leases;
  /** Milliseconds for which a lease lasts that is not renewed. */
  readonly leaseTtlMs: number;
  /** Where other nodes reach this one; where it listens when absent. */
  readonly advertisedUrl: string | undefined;
}

/** Beside the time of a lease: until nobody has it, and somebody has taken it. */
const TAKE_OVER_MS = 5_000;
/** How many times, while a lease lasts, it is looked whether a silent node still has the session. */
const LOOKS = 5;
const STREAM = `${SESSION}/stream`;
const SESSION_ID = /^ses_\w{1,96}$/;

/** Needs to know the owners of requests, and how long they may take: register it after `auth` and `transfers`. */
export const anyNode = fastifyPlugin<AnyNodeOptions>((app: FastifyInstance, { nodes, ...options }, done) => {
  app.decorate('anyNode', null);
  if (nodes === undefined) return done();
  const joined = joinNodes(app, { nodes, ...options });
  app.addHook('onListen', () => announce(app, nodes, options.advertisedUrl));
  app.addHook('onRequest', async (request, reply) => {
    const sessionId = sessionInAddress(request);
    // A browser cannot see why an upgrade was refused: the route takes the socket, and serves it elsewhere.
    if (sessionId === undefined || request.owner === null || (request.ws && request.forwarded === null)) return;
    await joined.serveRequest(request, reply, { sessionId });
  });
  app.addHook('preValidation', async (request, reply) => {
    const sessionId = sessionInBody(request);
    if (sessionId !== undefined) await joined.serveRequest(request, reply, { sessionId, body: JSON.stringify(request.body) });
  });
  app.addHook('preClose', () => joined.close());
  app.anyNode = joined;
  done();
});

interface Joined extends AnyNode {
  /** Passes a request on where that is its way. @throws Problem `session-elsewhere`, `store-unavailable` */
  serveRequest(request: FastifyRequest, reply: FastifyReply, given: Pick<Exchange, 'sessionId' | 'body'>): Promise<void>;
  /** Ends what is passed on. */
  close(): Promise<void>;
}

function joinNodes(app: FastifyInstance, { nodes, leases, leaseTtlMs }: AnyNodeOptions & { readonly nodes: Nodes }): Joined {
  const whereabouts = new Whereabouts({ leases, nodes });
  const reach = reachOwner(whereabouts, leaseTtlMs + TAKE_OVER_MS);
  const here = servedHere(app.services.sessions, whereabouts);
  const lookMs = leaseTtlMs / LOOKS;
  const forwarder = createForwarder({ whereabouts, lookMs, warn: (message) => app.log.warn(message) });
  const closing = new AbortController();
  return {
    async serveRequest(request, reply, given) {
      const { sessionId } = given;
      if (request.forwarded !== null) return here.assertHere(request, sessionId);
      const exchange: Exchange = {
        ...given,
        ...hopOf(request, nodes),
        request: request.raw,
        reply: reply.raw,
        takeReply: () => reply.hijack().getHeaders() as OutgoingHttpHeaders,
        signal: AbortSignal.any([clientGone(reply), closing.signal]),
      };
      await reach({
        sessionId,
        isHere: async () => removesSession(request) || here.isHere(request, sessionId),
        asksFirst: removesSession(request),
        isRepeatable: isRepeatable(exchange),
        tryThere: (place) => forwarder.forward(exchange, place),
        signal: exchange.signal,
      });
    },
    async serveSocket(request, sessionId, endpoint) {
      if (request.forwarded !== null || !SESSION_ID.test(sessionId)) return false;
      const client: SocketClient = { ...endpoint, ...hopOf(request, nodes), sessionId, url: request.url };
      return reach({
        sessionId,
        isHere: () => here.isHere(request, sessionId),
        asksFirst: false,
        isRepeatable: true,
        tryThere: (place) => forwardSocket(client, place, { whereabouts, lookMs }),
        signal: AbortSignal.any([endpoint.left, closing.signal]),
      });
    },
    async close() {
      closing.abort();
      await forwarder.close();
    },
  };
}

/** What the other node is told of a request. */
function hopOf({ id, owner, scope }: FastifyRequest, nodes: Nodes): Pick<Exchange, 'requestId' | 'identityFor'> {
  const identity = { owner: owner ?? '', scope };
  return { requestId: id, identityFor: async (forwarded) => tellIdentity(identity, forwarded, await nodes.secret()) };
}

/** Tells the others where this node answers, from the moment on in which it does. */
async function announce({ server, log }: FastifyInstance, nodes: Nodes, advertisedUrl: string | undefined): Promise<void> {
  const address = server.address();
  const url = advertisedUrl ?? (address === null || typeof address === 'string' ? undefined : listeningUrl(address));
  // It is told again and again until the store takes it.
  if (url !== undefined)
    await nodes.announce(url).catch((error: unknown) => log.warn({ err: error }, 'other nodes do not know yet where this one is'));
}

function sessionInAddress({ routeOptions: { url, config }, params, query, ws }: FastifyRequest): string | undefined {
  // Without an upgrade it says the same for every session.
  if (url === STREAM && !ws) return undefined;
  if (url === SESSION || url?.startsWith(`${SESSION}/`) === true) return idOf((params as { id?: unknown }).id);
  return config.sessionIn === 'query' ? idOf((query as { session_id?: unknown }).session_id) : undefined;
}

function sessionInBody({ routeOptions: { config }, body }: FastifyRequest): string | undefined {
  if (config.sessionIn !== 'body' || typeof body !== 'object' || body === null) return undefined;
  return idOf((body as { session_id?: unknown }).session_id);
}

/** What is no id of a session is told where it is served. */
function idOf(given: unknown): string | undefined {
  return typeof given === 'string' && SESSION_ID.test(given) ? given : undefined;
}
