// A limit on the bytes of all bodies that are being read or worked on, so that many large requests at once cannot take
// the memory of the service. A body counts as long as it says it is, or as far as it has come, until its reply has ended.
import { Transform } from 'node:stream';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyReply, RequestPayload } from 'fastify';
import type {} from '@fastify/websocket';
import type {} from './transfers.ts';
import { Problem } from '../../contract/index.ts';

export interface BodiesOptions {
  /** Bytes of all bodies together. */
  readonly allBytes: number;
  /** Bytes of one: what says it is longer is refused elsewhere, unread. */
  readonly oneBytes: number;
}

export const bodiesInFlight = fastifyPlugin<BodiesOptions>((app: FastifyInstance, { allBytes, oneBytes }, done) => {
  let inFlight = 0;

  app.addHook('preParsing', (request, reply, payload, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    // What is passed on as it comes takes no memory.
    if (request.routeOptions.config.transfer !== undefined) return next(null, payload);
    // A client that is gone already has no reply that would end.
    if (request.ws || reply.raw.closed || (length === undefined && encoding === undefined)) return next(null, payload);
    const hold = holder(reply);
    if (length === undefined) return next(null, counted(payload, reply, hold));
    const bytes = Number(length);
    if (bytes > oneBytes || hold(bytes)) next(null, payload);
    else next(overloaded(reply));
  });
  done();

  /** @returns what takes more bytes for a request until its reply has ended, or says that there is no room */
  function holder(reply: FastifyReply): Hold {
    let held = 0;
    reply.raw.once('close', () => (inFlight -= held));
    return (bytes) => {
      if (reply.raw.closed || inFlight + bytes > allBytes) return false;
      held += bytes;
      inFlight += bytes;
      return true;
    };
  }
});

type Hold = (bytes: number) => boolean;

/** Counts a body that does not say how long it is. */
function counted(payload: RequestPayload, reply: FastifyReply, hold: Hold): RequestPayload {
  const counter = new Transform({
    transform: (chunk: Buffer, _encoding, next) => (hold(chunk.length) ? next(null, chunk) : next(overloaded(reply))),
  });
  payload.once('error', (error) => counter.destroy(error));
  // Whoever reads the body hears of it; when nobody does any more, it is of no concern.
  counter.on('error', () => {});
  // What is left of a body that was not read must not hold up the next request of the connection.
  reply.raw.once('finish', () => payload.unpipe(counter).resume());
  return payload.pipe(counter);
}

/** The connection is closed after it: what is left of the body is not worth reading. */
function overloaded(reply: FastifyReply): Problem {
  if (!reply.sent) void reply.header('connection', 'close');
  return new Problem('overloaded', 'The service holds as many bytes of requests as it may.', { retryAfterSeconds: 2 });
}
