// What search engines have in common: how one is asked for a query, and what is read from its answer.
import type { WebQuery } from '../contract/index.ts';

export interface SearchRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SearchAccess {
  /** Where the engine is, without the path of its search. */
  readonly url: URL;
  readonly apiKey: string | undefined;
}

/** A hit as the engine gives it: texts may hold markup, and the URL may be none. */
export interface RawHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchProvider {
  request(query: Omit<WebQuery, 'signal'>, access: SearchAccess): SearchRequest;
  /** `null` when it is no answer of this engine. */
  hits(answer: unknown): readonly RawHit[] | null;
}

/** The engine's address with the path of its search, which operators may have given with it. */
export function searchUrl(base: URL, path: string): URL {
  const url = new URL(base);
  const given = url.pathname.replace(/\/+$/, '');
  url.pathname = given.endsWith(path) ? given : given + path;
  return url;
}

/** Characters that engines take for a query at the least. */
const QUERY_CHARS = 400;

/** The query with the operators that most engines know. Where those do not fit, what comes back is filtered all the same. */
export function withSites({ query, allowedDomains, blockedDomains }: Omit<WebQuery, 'signal'>): string {
  const allowed = allowedDomains.map((domain) => `site:${domain}`).join(' OR ');
  const blocked = blockedDomains.map((domain) => ` -site:${domain}`).join('');
  const whole = `${query}${allowed === '' ? '' : allowedDomains.length === 1 ? ` ${allowed}` : ` (${allowed})`}${blocked}`;
  return whole.length > QUERY_CHARS ? query : whole;
}
