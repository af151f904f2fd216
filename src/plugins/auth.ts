// Who is asking: a Host of ours (against DNS rebinding), an Origin that may (against other people's pages), and a key.
import { createHash, timingSafeEqual } from 'node:crypto';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type {} from '@fastify/websocket';
import { Problem } from '../contract/index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Name of the key that asks; the empty string when the service runs without keys, `null` when no valid key came. */
    owner: string | null;
  }
  interface FastifyContextConfig {
    /** Answers without a key. */
    public?: boolean;
    /** Answers to any Host: for probes that ask by address. */
    anyHost?: boolean;
  }
}

export interface AuthOptions {
  readonly keys: readonly { readonly name: string; readonly secret: string }[];
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
}

const KEY_PROTOCOL = /^toolexec\.key\.([A-Za-z0-9_-]+)$/;

export const auth = fastifyPlugin<AuthOptions>((app: FastifyInstance, options, done) => {
  const identify = ownerLookup(options.keys);
  app.decorateRequest('owner', null);
  app.addHook('onRequest', async (request) => {
    const { config } = request.routeOptions;
    if (config.anyHost !== true) assertHost(request, options.allowedHosts);
    assertOrigin(request, options.allowedOrigins);
    request.owner = identify(presentedKey(request));
    // A browser cannot see why an upgrade was refused: sockets are accepted and closed with a code instead.
    if (request.owner === null && config.public !== true && !request.ws) {
      throw new Problem('unauthorized', 'A valid key is needed: send it as Authorization: Bearer <key>.');
    }
  });
  done();
});

/** @throws Problem `unauthorized` */
export function ownerOf(request: FastifyRequest): string {
  if (request.owner === null) throw new Problem('unauthorized', 'A valid key is needed: send it as Authorization: Bearer <key>.');
  return request.owner;
}

function presentedKey(request: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((part) => part.trim()) ?? [];
  const encoded = offered.map((protocol) => KEY_PROTOCOL.exec(protocol)?.[1]).find((match) => match !== undefined);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString('utf8');
}

/** Compares digests, all of them, so that time tells nothing about a key. */
function ownerLookup(keys: AuthOptions['keys']): (presented: string | undefined) => string | null {
  if (keys.length === 0) return () => '';
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const known = keys.map(({ name, secret }) => ({ name, digest: digest(secret) }));
  return (presented) => {
    if (presented === undefined) return null;
    const given = digest(presented);
    let owner: string | null = null;
    for (const key of known) if (timingSafeEqual(key.digest, given)) owner = key.name;
    return owner;
  };
}

function assertHost(request: FastifyRequest, allowed: readonly string[]): void {
  const host = (request.headers.host ?? '').toLowerCase();
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isLocalName(name) || name === request.socket.localAddress || allowed.includes(host) || allowed.includes(name)) return;
  throw new Problem('host-not-allowed', 'This Host is not one of the service. The operator may add it to TOOLEXEC_ALLOWED_HOSTS.');
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

function assertOrigin(request: FastifyRequest, allowed: readonly string[]): void {
  const { origin, host } = request.headers;
  if (origin === undefined || allowed.includes(origin)) return;
  if (origin === `http://${host}` || origin === `https://${host}`) return;
  throw new Problem('forbidden', 'Pages of this origin may not use the service. The operator may add it to TOOLEXEC_ALLOWED_ORIGINS.');
}
