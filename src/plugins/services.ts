// What routes reach for: the registry of sessions and the limits of the service, on the Fastify instance.
import type { Config } from '../config.ts';
import type { SessionRegistry } from '../sessions/registry.ts';
import type { SandboxState } from '../sessions/session-parts.ts';
import type { SocketRegistry } from './sockets.ts';
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
