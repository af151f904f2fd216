// Keeps pages of other people out, which browsers would let ask a service on this machine or network: the Host must be
// one of ours (a name that was made to point here is not), and a page's origin ours or allowed. Allowed pages get CORS.
import { isIPv6 } from 'node:net';
import fastifyCors from '@fastify/cors';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../contract/index.ts';
import type {} from './forwarded.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers to any Host: for probes that ask by address. */
    anyHost?: boolean;
  }
}

export interface OriginOptions {
  /** The address or name that the service listens on. */
  readonly listensOn: string;
  /** Further names in lower case, with a port where only that one counts. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
const EVERYWHERE = ['0.0.0.0', '::'];
const EXPOSED = [
  'Location',
  'Retry-After',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Toolexec-Replayed',
  'Toolexec-Task-Status',
  'Mcp-Session-Id',
  'X-Request-Id',
];
const PREFLIGHT_SECONDS = 600;

/**
 * Register it before whatever asks for keys: a preflight has none, and a page may read why it was refused. Needs the plugin
 * `forwarded`: what another node passes on was judged there.
 */
export const origins = fastifyPlugin<OriginOptions>(
  async (app: FastifyInstance, { listensOn, allowedHosts, allowedOrigins }: OriginOptions) => {
    const own = EVERYWHERE.includes(listensOn) ? LOOPBACK : [...LOOPBACK, listensOn.toLowerCase()];
    const hosts = new Set([...own, ...allowedHosts].map(withoutBrackets));
    const allowed = new Set(allowedOrigins);
    app.addHook('onRequest', (request, _reply, done) => {
      if (!request.forwarded) {
        if (request.routeOptions.config.anyHost !== true) assertHost(request, hosts);
        assertOrigin(request, allowed);
      }
      done();
    });
    await app.register(fastifyCors, {
      origin: allowedOrigins.length > 0 ? [...allowedOrigins] : false,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: EXPOSED,
      maxAge: PREFLIGHT_SECONDS,
      strictPreflight: false,
    });
  },
);

function assertHost(request: FastifyRequest, hosts: ReadonlySet<string>): void {
  const host = (request.headers.host ?? '').toLowerCase();
  const [, name = ''] = /^(\[[0-9a-f:.]+\]|[^:[\]@/]+)(?::\d{1,5})?$/.exec(host) ?? [];
  const plain = withoutBrackets(name);
  const known = hosts.has(host) || hosts.has(plain) || plain === localAddress(request);
  if (plain !== '' && known && !namesOtherHost(request, host)) return;
  throw new Problem('host-not-allowed', 'This Host is not one of the service. The operator may add it to TOOLEXEC_ALLOWED_HOSTS.');
}

/** A request by address names the one it came in on: no name was made to point there. */
function localAddress({ socket }: FastifyRequest): string | undefined {
  return socket.localAddress?.replace(/^::ffff:/, '');
}

/** Something before us may have judged another: a second field, which Node does not show, or the one in the address. */
function namesOtherHost({ raw: { rawHeaders, url = '' } }: FastifyRequest, host: string): boolean {
  const fields = rawHeaders.filter((text, index) => index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host');
  return fields.length > 1 || !(url.startsWith('/') || url.toLowerCase().startsWith(`http://${host}/`));
}

function withoutBrackets(name: string): string {
  const inside = /^\[(.*)\]$/.exec(name)?.[1];
  return inside !== undefined && isIPv6(inside) ? inside : name;
}

function assertOrigin(request: FastifyRequest, allowed: ReadonlySet<string>): void {
  const { origin, host = '' } = request.headers;
  const isOurs = origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`;
  if (origin === undefined ? isAskedByUser(request) : isOurs || allowed.has(origin)) return;
  throw new Problem('forbidden', 'Pages of this origin may not use the service. The operator may add it to TOOLEXEC_ALLOWED_ORIGINS.');
}

/** Browsers send no Origin for images, scripts and links in a page, but say where they come from. */
function isAskedByUser({ headers, routeOptions }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'none' || site === 'same-origin' || routeOptions.config.public === true;
}
