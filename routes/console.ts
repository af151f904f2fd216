// The web page on which people watch and drive sessions. Its files lie built in `web/dist` and hold nothing secret: they need no key,
// while all that the page asks for does.
import { fileURLToPath } from 'node:url';
import fastifyStatic, { type SendOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ROOT = fileURLToPath(new URL('../web/dist/', import.meta.url));
/** Scripts and styles are files of their own, and the page talks to this service alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;
/** The names of assets change with what is in them. */
const FOR_EVER: SendOptions = { maxAge: '365d', immutable: true };
const ASK_AGAIN: SendOptions = { maxAge: 0 };

export function consoleRoutes(app: FastifyInstance): void {
  void app.register(fastifyStatic, { root: ROOT, serve: false });
  const open = { config: { public: true }, schema: { hide: true } };
  const page = (_request: unknown, reply: FastifyReply): FastifyReply => send(reply, 'index.html', ASK_AGAIN);
  app.get('/', open, toConsole);
  app.get('/console', open, page);
  // What lies below is read by the page itself, which shows it.
  app.get('/console/*', open, page);
  app.get('/console/favicon.svg', open, (_request, reply) => send(reply, 'favicon.svg', ASK_AGAIN));
  app.get<{ Params: { file: string } }>('/console/assets/:file', open, ({ params }, reply) =>
    send(reply, `assets/${params.file}`, FOR_EVER),
  );
}

/** Who opens the bare address in a browser looks for something to see; for all others there is nothing. */
function toConsole({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.header('vary', 'accept');
  if (headers.accept?.includes('text/html') === true) return reply.redirect('/console');
  reply.callNotFound();
  return reply;
}

function send(reply: FastifyReply, file: string, options: SendOptions): FastifyReply {
  return reply.headers(HEADERS).sendFile(file, options);
}
