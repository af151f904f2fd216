// Bodies that are handed on as they come: any content type, any length, nothing held.
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../src/contract/index.ts';

/** Milliseconds for which the rest of a body that nobody wants is read, so that its client gets to read why. */
const LINGER_MS = 2_000;

/** For the routes of one scope: bodies are not parsed. */
export function takeRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  scope.addHook('onRequest', (request, _reply, done) => {
    // What a client calls its bytes does not matter, also when it is no media type at all.
    delete request.raw.headers['content-type'];
    done();
  });
}

export interface RawBody {
  /** Ends with an error when the client leaves, and when the reply has been sent. */
  readonly body: Readable;
  /** Bytes, where it says so. */
  readonly length: number | undefined;
}

/** @throws Problem `invalid-request`, `unsupported-media-type` for what are not the plain bytes of the whole */
export function bodyOf(reply: FastifyReply): RawBody {
  const { raw } = reply.request;
  const { 'content-length': length, 'content-encoding': encoding = 'identity', 'content-range': range } = raw.headers;
  if (encoding !== 'identity')
    throw new Problem('unsupported-media-type', 'Send the body without Content-Encoding: bytes are kept as they come.');
  if (range !== undefined) throw new Problem('invalid-request', 'Content-Range is not supported: send the whole file.');
  const body = new PassThrough();
  // Whoever reads it hears of it; when nobody does any more, it is of no concern.
  body.on('error', () => {});
  raw.once('error', () => body.destroy(brokeOff()));
  raw.once('close', () => {
    if (!raw.complete) body.destroy(brokeOff());
  });
  // From its end on only the service has work to do.
  raw.once('end', () => reply.raw.setTimeout(0));
  reply.raw.once('finish', () => {
    raw.unpipe(body);
    body.destroy(brokeOff());
    if (!raw.complete) discard(reply);
  });
  if (raw.destroyed) body.destroy(brokeOff());
  else raw.pipe(body);
  return { body, length: length === undefined ? undefined : Number(length) };
}

/** Cut off at once, a client that is still sending would not get to read its answer. */
function discard({ request: { raw } }: FastifyReply): void {
  const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
  raw.once('close', () => clearTimeout(timer));
  raw.resume();
}

function brokeOff(): Problem {
  return new Problem('invalid-request', 'The body broke off before its end. Nothing was written: send it again.');
}
