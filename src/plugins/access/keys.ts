// Keys as they are kept, as they travel, and how one is recognised.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';

const KEY_PROTOCOL = /^toolexec\.key\.([A-Za-z0-9_-]+)$/;

/** The key in `Authorization: Bearer`, or in the subprotocol that browsers use. */
export function presentedKey({ headers }: FastifyRequest): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  const offered = headers['sec-websocket-protocol']?.split(',').map((part) => part.trim()) ?? [];
  const encoded = offered.map((protocol) => KEY_PROTOCOL.exec(protocol)?.[1]).find((match) => match !== undefined);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64url').toString('utf8');
}

/**
 * Compares digests, all of them, so that time tells nothing about a key.
 * @returns a look-up of the name; without keys everybody is the empty name
 */
export function keyLookup(keys: Config['keys']): (presented: string | undefined) => string | null {
  if (keys.length === 0) return () => '';
  return (presented) => {
    if (presented === undefined) return null;
    const given = createHash('sha256').update(presented).digest();
    let owner: string | null = null;
    for (const { name, digest } of keys) if (timingSafeEqual(digest, given)) owner = name;
    return owner;
  };
}
