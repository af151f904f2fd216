// One request of a chain of redirects, and what the next one may carry.
import { OF_CONNECTION } from '../contract/index.ts';
import { checkUrl } from './check-url.ts';
import type { EgressRules, Target } from './egress.ts';
import { FetchError } from './fetch-error.ts';

export interface Hop {
  readonly url: URL;
  readonly target: Target;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What says nothing of who asks, and so may go on to another origin. */
const IMPERSONAL = /^(accept|accept-language|content-type|user-agent)$/;
const OF_BODY = /^content-/;

/** @throws FetchError when the URL may not be asked for */
export function openUrl(text: string, egress: EgressRules): { url: URL; target: Target } {
  const check = checkUrl(text, egress);
  if (!check.ok) throw new FetchError(check.kind, check.reason);
  return check;
}

/** Headers in lower case, without those that are not the caller's to say. */
export function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !OF_CONNECTION.test(name) && name !== 'content-length'));
}

/**
 * The request that an answer sends its asker on to; `null` when it sends nowhere. Another origin gets no body and no header
 * that says who asks.
 * @throws FetchError when that URL may not be asked for, or not with this body
 */
export function nextHop(hop: Hop, answer: { readonly status: number; readonly location: string | null }, egress: EgressRules): Hop | null {
  const { status, location } = answer;
  if (!REDIRECTS.has(status) || location === null) return null;
  const url = URL.parse(location, hop.url.href);
  if (url === null) throw new FetchError('redirects', `${hop.target.host} redirects to something that is no URL.`);
  const to = redirectedTo(url.href, hop, egress);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  const isSameOrigin = to.url.origin === hop.url.origin;
  const body = becomesGet ? undefined : hop.body;
  if (body !== undefined && !isSameOrigin) {
    throw new FetchError(
      'redirects',
      `${hop.target.host} redirects to ${to.url.origin}, which would get the body: ask for that URL itself.`,
    );
  }
  const kept = Object.entries(hop.headers).filter(
    ([name]) => (isSameOrigin || IMPERSONAL.test(name)) && (body !== undefined || !OF_BODY.test(name)),
  );
  return { ...to, method: becomesGet ? 'GET' : hop.method, headers: Object.fromEntries(kept), ...(body === undefined ? {} : { body }) };
}

function redirectedTo(url: string, from: Hop, egress: EgressRules): { url: URL; target: Target } {
  const check = checkUrl(url, egress);
  if (!check.ok) throw new FetchError('blocked', `${from.target.host} redirects to a URL that cannot be reached. ${check.reason}`);
  return check;
}

/** True for the same host, unless the way there lost its encryption. */
export function staysOnHost(from: Hop, to: Hop): boolean {
  return from.target.host === to.target.host && (from.url.protocol === to.url.protocol || to.url.protocol === 'https:');
}
