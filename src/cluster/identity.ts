// Who asks, as one node tells it to another: signed with the secret that all nodes share, for one request to one node, and
// for a moment only. Keys and tickets stay at the node that has judged them.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Scope } from '../contract/index.ts';

/** The header of a request that comes from another node. */
export const FORWARDED_HEADER = 'toolexec-forwarded';

/** Milliseconds by which a request may be older, and the clocks of two nodes apart. */
const MAX_AGE_MS = 30_000;
/** No name of a key is near as long. */
const MAX_CHARS = 8_192;

export interface Identity {
  /** Name of the key. */
  readonly owner: string;
  readonly scope: Scope;
}

/** The one request that an identity is told for. */
export interface ForwardedRequest {
  /** Name of the node that gets it. */
  readonly to: string;
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly path: string;
}

const Told = z.object({ owner: z.string(), scope: z.enum(['watch', 'drive']), to: z.string(), at: z.number() });

/** @returns what to send as {@link FORWARDED_HEADER} */
export function tellIdentity({ owner, scope }: Identity, request: ForwardedRequest, secret: string): string {
  const told = JSON.stringify({ owner, scope, to: request.to, at: Date.now() } satisfies z.input<typeof Told>);
  const text = Buffer.from(told).toString('base64url');
  return `${text}.${macOf(text, request, secret).toString('base64url')}`;
}

/** @returns `null` for what no node has said, or not of this request, or not lately */
export function readIdentity(header: string, request: ForwardedRequest, secret: string): Identity | null {
  const [text = '', mac = '', ...rest] = header.split('.', 3);
  if (header.length > MAX_CHARS || rest.length > 0) return null;
  const expected = macOf(text, request, secret);
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const { owner, scope, to, at } = Told.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  return to === request.to && Math.abs(Date.now() - at) <= MAX_AGE_MS ? { owner, scope } : null;
}

function macOf(text: string, { method, path }: ForwardedRequest, secret: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(`${text}\n${method} ${path}`).digest();
}
