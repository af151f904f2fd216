// What routes reach for: the registry of sessions and the limits of the service, on the Fastify instance.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Config } from '../config.ts';
import type { SessionRegistry } from '../sessions/registry/registry.ts';
import type { Session } from '../sessions/session.ts';
import type { SandboxState } from '../sessions/session-parts.ts';
import { ownerOf } from './access/auth.ts';
import type { SocketRegistry } from './limits/sockets.ts';
import type { DescribeContext, Store, Toolbox } from '../contract/index.ts';

export interface Services {
  readonly config: Config;
  readonly sessions: SessionRegistry;
  readonly store: Store;
  /** The tools of a new session of this key with default options. */
  readonly defaultTools: (owner: string) => { readonly toolbox: Toolbox; readonly described: DescribeContext };
  /** How commands are held, and why not. */
  readonly sandbox: SandboxState;
  /** Connected sockets, to say goodbye to when the service drains. */
  readonly sockets: SocketRegistry;
}

declare module 'fastify' {
  interface FastifyInstance {
    services: Services;
  }
}

/** Where routes are added: what they take has the types of its schemas. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>;

/**
 * The session that the address of a request names.
 * @throws Problem `session-not-found`, `session-elsewhere`, `draining`, and `unauthorized` where nobody asks
 */
export function sessionOf(
  request: Pick<FastifyRequest, 'owner' | 'server'> & { readonly params: { readonly id: string } },
): Promise<Session> {
  return request.server.services.sessions.get(ownerOf(request), request.params.id);
}
