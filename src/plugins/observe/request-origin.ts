// Which request something goes back to. A turn outlives its request and runs in a queue, so whoever looks on asks here once, at
// the moment in which the turn is asked for.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';

export interface RequestOrigin {
  readonly requestId: string;
  /** The fields of the request that name the trace it belongs to (W3C Trace Context). */
  readonly trace: { readonly traceparent?: string; readonly tracestate?: string };
}

const origins = new AsyncLocalStorage<RequestOrigin>();
/** What may stand in a log line and a header as it is. */
const SANE_ID = /^[\w.:@/+=-]{1,128}$/;
const TRACE_FIELDS = ['traceparent', 'tracestate'] as const;

/** The request, or the upgrade of the socket, in which this is called; `undefined` outside of any. */
export function currentOrigin(): RequestOrigin | undefined {
  return origins.getStore();
}

/** The id that the client has given the request in `x-request-id`, if it is sane, or a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : `req_${randomUUID()}`;
}

/** Echoes the id in every reply. Register it first: what comes before has no origin. */
export const requestOrigin = fastifyPlugin((app: FastifyInstance, _options, done) => {
  app.addHook('onRequest', (request, reply, next) => {
    void reply.header('x-request-id', request.id);
    const trace = Object.fromEntries(
      TRACE_FIELDS.flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
    origins.run({ requestId: request.id, trace }, next);
  });
  done();
});
