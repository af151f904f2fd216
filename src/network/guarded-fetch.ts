// The one way out for URLs that come from a session. Each request of a chain of redirects is checked before it is sent, and the
// addresses of its host when a connection is made. Nothing is asked of the environment: no proxy that would look names up itself.
import { Agent, fetch as fetchOnce, type Response } from 'undici';
import { dial, guardedConnector, type Dial } from './connect.ts';
import type { EgressRules } from './egress.ts';
import { FetchError, toFetchError } from './fetch-error.ts';
import { nextHop, openUrl, ownHeaders, staysOnHost, type Hop } from './hop.ts';
import { createLookUp, type LookUp } from './look-up.ts';

export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the exchange, the body included: nothing else does while a server is slow. */
  readonly signal: AbortSignal;
  /** `same-host` (default): another host is told in `redirectTo`; `follow`: to any public host; `manual`: none. */
  readonly redirect?: 'same-host' | 'follow' | 'manual';
}

export interface FetchAnswer {
  readonly status: number;
  /** Names in lower case; values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** Where the answer sends its asker on to, when that was not followed. */
  readonly redirectTo?: string;
  /** Decompressed, as it comes, of any size: who leaves it unread aborts `signal`. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface GuardedFetch {
  /** A status such as 404 is an answer and no error. @throws FetchError, or what `signal` was aborted with; so does the body */
  fetch(url: string, options: FetchOptions): Promise<FetchAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface GuardedFetchOptions {
  readonly egress: EgressRules;
  readonly lookUp?: LookUp;
  readonly dial?: Dial;
}

const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 16_384;
/** Connections to one origin at a time. */
const CONNECTIONS = 32;

export function createGuardedFetch({ egress, lookUp: ask = createLookUp(), dial: dialTo = dial }: GuardedFetchOptions): GuardedFetch {
  const agent = new Agent({
    connect: guardedConnector({ egress, lookUp: ask }, dialTo),
    allowH2: false,
    connections: CONNECTIONS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The signal that comes with every request is the limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    fetch: async (url, options) => follow(firstHop(url, options, egress), options, { agent, egress }),
    close: () => agent.destroy(),
  };
}

function firstHop(url: string, options: FetchOptions, egress: EgressRules): Hop {
  const { method = 'GET', headers = {}, body } = options;
  const own = { 'user-agent': 'toolexec', ...ownHeaders(headers) };
  return { ...openUrl(url, egress), method: method.toUpperCase(), headers: own, ...(body === undefined ? {} : { body }) };
}

async function follow(
  first: Hop,
  { signal, redirect = 'same-host' }: FetchOptions,
  way: { agent: Agent; egress: EgressRules },
): Promise<FetchAnswer> {
  let hop = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(hop, signal, way.agent);
    const next = redirect === 'manual' ? null : await nextOf(response, hop, way.egress);
    if (next === null) return answerOf(response, hop, signal);
    if (redirect === 'same-host' && !staysOnHost(hop, next)) return { ...answerOf(response, hop, signal), redirectTo: next.url.href };
    await discard(response);
    if (redirects >= MAX_REDIRECTS) throw new FetchError('redirects', `${first.target.host} redirects more than ${MAX_REDIRECTS} times.`);
    hop = next;
  }
}

async function nextOf(response: Response, hop: Hop, egress: EgressRules): Promise<Hop | null> {
  try {
    return nextHop(hop, { status: response.status, location: response.headers.get('location') }, egress);
  } catch (error) {
    await discard(response);
    throw error;
  }
}

async function discard({ body }: Response): Promise<void> {
  try {
    await body?.cancel();
  } catch {
    // It broke off by itself.
  }
}

async function send({ url, target, method, headers, body }: Hop, signal: AbortSignal, agent: Agent): Promise<Response> {
  signal.throwIfAborted();
  try {
    return await fetchOnce(url, { method, headers, body: body ?? null, redirect: 'manual', signal, dispatcher: agent });
  } catch (error) {
    signal.throwIfAborted();
    throw toFetchError(error, target.host);
  }
}

function answerOf(response: Response, { url, target }: Hop, signal: AbortSignal): FetchAnswer {
  const headers = Object.fromEntries(response.headers);
  const body = response.body === null ? null : bodyOf(response.body, target.host, signal);
  return { status: response.status, headers, url: url.href, body };
}

async function* bodyOf(body: AsyncIterable<Uint8Array>, host: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal.throwIfAborted();
    throw toFetchError(error, host);
  }
}
