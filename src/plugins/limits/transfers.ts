// Routes that move bytes of any amount, in or out: there is no limit on how long it takes, as there is for other
// requests, but on how long nothing moves, and on how many an owner has under way.
import type { Socket } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { OwnerCount } from './owner-count.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Moves bytes of any amount: bodies are not counted, and may take as long as they move. */
    transfer?: keyof typeof PER_OWNER;
  }
}

export interface TransferOptions {
  /** Milliseconds for which nothing may move. */
  readonly stallMs?: number;
}

const STALL_MS = 60_000;
/** A file takes buffers of some hundred kilobytes while it moves; an archive may take its list of entries, tens of megabytes. */
const PER_OWNER = { file: 500, archive: 8 } as const;

/** Needs to know the owners of requests: register it after `auth`. */
export const transfers = fastifyPlugin<TransferOptions>((app: FastifyInstance, { stallMs = STALL_MS }, done) => {
  const moving = new WeakSet<Socket>();
  const counts = {
    file: new OwnerCount(PER_OWNER.file, 'transfers of files'),
    archive: new OwnerCount(PER_OWNER.archive, 'transfers of archives'),
  };

  app.addHook('onRequest', (request, reply, next) => {
    const { transfer } = request.routeOptions.config;
    if (transfer === undefined || reply.raw.closed) return next();
    const owner = request.owner ?? '';
    counts[transfer].assertRoom(owner);
    const leave = counts[transfer].add(owner);
    const { socket } = request.raw;
    moving.add(socket);
    reply.raw.once('close', () => {
      leave();
      moving.delete(socket);
    });
    // Without a listener, the server ends the connection then.
    reply.raw.setTimeout(stallMs);
    next();
  });

  // The time of a whole request is limited by the server, which knows nothing of routes and asks here before it acts.
  const listeners = app.server.listeners('clientError');
  app.server.removeAllListeners('clientError');
  app.server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && moving.has(socket)) return;
    for (const listener of listeners) Reflect.apply(listener, app.server, [error, socket]);
  });
  done();
});
