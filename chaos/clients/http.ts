// Requests as a client makes them that wants its answer: each on a connection of its own, so that the proxy sends it to any node;
// what is lost on the way, or refused for the moment, is sent again.
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request, type Dispatcher } from 'undici';
import type { Ledger } from '../ledger.ts';

export interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** A text is sent as it is, all else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends it before the run does. */
  readonly signal?: AbortSignal;
}

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

export interface Http {
  readonly url: string;
  readonly ledger: Ledger;
  /** Fires when the run is over: whoever waits for something gives up. */
  readonly signal: AbortSignal;
  /** @throws Error when the run is over, or no answer has come within the limit */
  ask<Body>(sent: Sent): Promise<Answer<Body>>;
  /** The body of an answer as it comes. @throws Error as `ask`, and for any other status than 200 */
  stream(sent: Sent): Promise<AsyncIterable<Buffer>>;
  close(): Promise<void>;
}

/** What a request may take with all its tries. */
const LIMIT_MS = 90_000;
/** What one try may take without a sign of life. */
const PATIENCE_MS = 8_000;
/** Statuses of a moment, after which the request is sent again. */
const AGAIN = [429, 502, 503, 504];
const PAUSE_MS = { first: 100, most: 800 };

export function createHttp({ url, ledger, signal }: Pick<Http, 'url' | 'ledger' | 'signal'>): Http {
  // Everything that runs listens to it.
  setMaxListeners(0, signal);
  const agent = new Agent({ pipelining: 0, connectTimeout: 3_000, headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS });

  async function send({ method, path, body, headers, signal: left }: Sent): Promise<Dispatcher.ResponseData | { againMs: number }> {
    const json = body !== undefined && typeof body !== 'string';
    const response = await request(url + path, {
      dispatcher: agent,
      method,
      signal: left ?? signal,
      headers: { ...(json && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
    });
    const { statusCode: status } = response;
    if (response.headers['toolexec-replayed'] === 'true') ledger.count('replays');
    if (status < 500 && status !== 429) return response;
    const text = await response.body.text();
    if (!AGAIN.includes(status)) ledger.violate(path, `${method} was answered with ${status}`, text);
    ledger.count(`answers ${status} ${/"\/problems\/([a-z-]+)"/.exec(text)?.[1] ?? 'of the proxy'}`);
    return { againMs: Number(response.headers['retry-after'] ?? 1) * 1_000 };
  }

  /** Tries again until `use` has got an answer. */
  async function persist<Result>(sent: Sent, use: (response: Dispatcher.ResponseData) => Promise<Result>): Promise<Result> {
    const over = sent.signal ?? signal;
    const until = performance.now() + LIMIT_MS;
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.most)) {
      over.throwIfAborted();
      let again = pauseMs;
      try {
        const response = await send(sent);
        if (!('againMs' in response)) return await use(response);
        again = response.againMs;
      } catch (error) {
        over.throwIfAborted();
        if (error instanceof Refusal) throw error;
        ledger.count('reconnects');
      }
      if (performance.now() > until) throw new Error(`${sent.method} ${sent.path} had no answer within ${LIMIT_MS / 1_000} s.`);
      await wait(again, undefined, { signal: over });
    }
  }

  return {
    url,
    ledger,
    signal,
    ask: <Body>(sent: Sent) =>
      persist(sent, async ({ statusCode, body }): Promise<Answer<Body>> => {
        const text = await body.text();
        return { status: statusCode, body: (text === '' ? {} : JSON.parse(text)) as Body };
      }),
    stream: (sent) =>
      persist(sent, async ({ statusCode, body }) => {
        if (statusCode === 200) return body as AsyncIterable<Buffer>;
        throw new Refusal(`${sent.method} ${sent.path} was answered with ${statusCode}: ${await body.text()}`);
      }),
    close: () => agent.destroy(),
  };
}

/** An answer that another try would not change. */
class Refusal extends Error {
  override readonly name = 'Refusal';
}
