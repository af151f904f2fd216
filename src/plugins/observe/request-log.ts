// What log lines of a request carry beside its id: whose it is and which session it is about. Its address is told without what
// stands after the `?`, where tickets may be.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';

/** Needs the plugin `auth`. With level `debug`, each request is told of when it is answered. */
export const requestLog = fastifyPlugin((app: FastifyInstance, _options, done) => {
  app.addHook('onRequest', (request, _reply, next) => {
    const { id } = (request.params ?? {}) as { id?: unknown };
    request.log = request.log.child({
      key: request.owner,
      ...(typeof id === 'string' && request.routeOptions.url?.startsWith('/v1/sessions/') === true && { session_id: id }),
    });
    next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    const { method, url } = request;
    const durationMs = Math.round(reply.elapsedTime);
    request.log.debug({ method, path: url.split('?', 1)[0], status: reply.statusCode, duration_ms: durationMs }, 'request answered');
    next();
  });
  done();
});
