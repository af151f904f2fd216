import type { FastifyInstance } from 'fastify';
import type {} from '@fastify/websocket';

/** Milliseconds that clients have to take what is left for them when the service stops. */
const FAREWELL_MS = 2_000;

/**
 * Lets a client that does not read keep the service from stopping for a moment only. Register it before whatever waits
 * for answers to be written when the service stops.
 */
export function cutOffSlowClients(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('preClose', (done) => {
    timer = setTimeout(() => {
      app.server.closeAllConnections();
      // Upgraded connections are not the server's any more.
      for (const socket of app.websocketServer.clients) socket.terminate();
    }, FAREWELL_MS);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearTimeout(timer);
    done();
  });
}
