// Requests to the service: what it could not take now, and what got lost on the way, is sent again where that is safe.
import { problemOf } from './problem.ts';
import type { Transport } from './transport.ts';
import { backoffMs, sleep } from './wait.ts';

/** What a body may be made of. */
export type Content = NonNullable<RequestInit['body']>;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After the address of the service, such as `/v1/sessions`. */
  readonly path: string;
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Goes as JSON. */
  readonly json?: unknown;
  /** Goes as it is. */
  readonly body?: Content;
  readonly signal?: AbortSignal | undefined;
  /** False: a second sending could do something twice, so that it is only sent again when the service said that it did nothing. */
  readonly repeatable?: boolean;
}

type KeyedPost = Omit<RequestOptions, 'method' | 'repeatable'> & { readonly idempotencyKey?: string | undefined };

/** The service said that it did nothing. */
const REFUSED = new Set([429, 503]);
/** A proxy does not know what the service did. */
const LOST = new Set([502, 504]);
const LONGEST_WAIT_MS = 60_000;

/**
 * Sends a request until it is answered.
 * @returns a reply of success, whose body nobody has read
 * @throws ToolexecProblem for a reply of failure; TypeError when the service cannot be reached
 */
export function send(transport: Transport, options: RequestOptions): Promise<Response> {
  return answered(transport, options, (response) => Promise.resolve(response));
}

/** As {@link send}. @returns the JSON of the reply, which is trusted to be what the documents say */
export function sendJson<Reply>(transport: Transport, options: RequestOptions): Promise<Reply> {
  const headers = { accept: 'application/json', ...options.headers };
  return answered(transport, { ...options, headers }, async (response) => (await response.json()) as Reply);
}

async function answered<Reply>(
  transport: Transport,
  options: RequestOptions,
  read: (response: Response) => Promise<Reply>,
): Promise<Reply> {
  const { repeatable = options.method !== 'POST', signal } = options;
  const request = requestInit(transport, options);
  const url = transport.url + options.path + queryText(options.query);
  for (let attempt = 0; ; attempt += 1) {
    const last = attempt >= transport.retries;
    let waitMs = backoffMs(attempt);
    try {
      const response = await transport.fetch(url, request);
      if (response.ok) return await read(response);
      const again = REFUSED.has(response.status) || (repeatable && LOST.has(response.status));
      if (last || !again) throw await problemOf(response);
      await response.body?.cancel();
      waitMs = Math.max(waitMs, retryAfterMs(response.headers));
    } catch (error) {
      // Only a connection that failed, before or within the body, is a TypeError: problems, and the reason of a signal, are told at once.
      if (!(error instanceof TypeError) || signal?.aborted === true) throw error;
      if (last || !repeatable) throw unreachable(transport, error);
    }
    await sleep(waitMs, signal);
  }
}

/** Of a failed connection fetch says little, and nothing of where it went. */
function unreachable({ url }: Transport, error: TypeError): TypeError {
  const { message, code } = (error.cause ?? {}) as { message?: string; code?: string };
  return new TypeError(`The service at ${url} cannot be reached: ${message || code || error.message}`, { cause: error });
}

function requestInit({ key }: Transport, { method = 'GET', headers, json, body, signal }: RequestOptions): RequestInit {
  const given = Object.entries(headers ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  const sent = new Headers(given);
  if (key !== undefined) sent.set('authorization', `Bearer ${key}`);
  if (json !== undefined) sent.set('content-type', 'application/json');
  const content = json === undefined ? body : JSON.stringify(json);
  return {
    method,
    headers: sent,
    ...(content !== undefined && { body: content }),
    ...(signal && { signal }),
    // A stream as a body is sent while it is read.
    ...(content instanceof ReadableStream && { duplex: 'half' }),
  };
}

function queryText(query: RequestOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** `Retry-After` has seconds or a date. */
function retryAfterMs(headers: Headers): number {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Math.min(LONGEST_WAIT_MS, Math.max(0, ms || 0));
}

/** A POST that can be sent again: what it does is done once for one key. @param idempotencyKey made up when absent */
export function keyedPost({ idempotencyKey = newKey(), headers, ...request }: KeyedPost): RequestOptions {
  return { ...request, method: 'POST', headers: { ...headers, 'idempotency-key': idempotencyKey }, repeatable: true };
}

/** A key that no other request has; also where a page is not served securely, and so has no `randomUUID`. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
