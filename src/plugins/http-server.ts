// The HTTP server as it is before anything is joined to it: its limits, its times, and what it says to what is no request.
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import type { Config } from '../config.ts';
import { requestId } from './observe/request-origin.ts';
import { answerNoRequest, answerUnreadable, MAX_PARAM_CHARS } from './unreadable-requests.ts';

/** Of routes' schemas, in place of Fastify's own, which would be loaded for nothing. */
const COMPILERS = {
  // The plugin for problems brings the one that counts.
  buildValidator: () => {
    throw new TypeError('Nothing checks what this route takes.');
  },
  // Replies are documented by their schemas; checking each again would only slow them down.
  buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
} satisfies NonNullable<FastifyServerOptions['schemaController']>['compilersFactory'];

/** Listens to nobody yet, and has no routes. */
export function newServer(config: Config, logger: FastifyBaseLogger | undefined): FastifyInstance {
  return fastify({
    ...(logger === undefined ? { logger: false } : { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: config.limits.body_bytes,
    // A client that drips its request must not keep a connection for ever.
    requestTimeout: 60_000,
    http: { headersTimeout: 30_000 },
    // Longer than load balancers keep theirs, so that none sends into a connection that is being closed.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    // In a drain, which is a part of closing, running turns are still watched, answered and aborted; what is new is refused by the sessions.
    return503OnClosing: false,
    pluginTimeout: config.drainGraceMs + 60_000,
    routerOptions: { maxParamLength: MAX_PARAM_CHARS },
    frameworkErrors: answerUnreadable,
    clientErrorHandler: answerNoRequest,
    genReqId: requestId,
    schemaController: { compilersFactory: COMPILERS },
  });
}
