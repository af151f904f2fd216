// Streamable HTTP, with what the SDK leaves open: an answer that breaks off ends its request, and a server cannot make us
// come back faster than is good for us.
import { StreamableHTTPClientTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { settlesWithin } from '../../contract/index.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { cancelledId } from './cancelled-id.ts';
import type { Fetch } from './ports.ts';

type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

const INTERNAL_ERROR = -32_603;
const RECONNECTION = { initialReconnectionDelay: 1_000, reconnectionDelayGrowFactor: 2, maxReconnectionDelay: 30_000, maxRetries: 5 };
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 60_000;
/** Milliseconds that the server has to end a session. */
const GOODBYE_MS = 2_000;

export interface HttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly messageBytes: number;
  /** A message passed the limit; what it would have been is lost. */
  readonly onTooLong: (reason: string) => void;
}

export class HttpTransport extends StreamableHTTPClientTransport {
  /** What ends the exchange of each request that has no answer yet. */
  readonly #unanswered = new Map<string | number, AbortController>();
  #reconnects = 0;
  #closed: Promise<void> | undefined;

  constructor({ url, headers, fetch, messageBytes, onTooLong }: HttpOptions) {
    super(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: boundedFetch(fetch, { messageBytes, onTooLong }),
      reconnectionOptions: RECONNECTION,
      reconnectionScheduler: (reconnect, delay) => this.#comeBack(reconnect, delay),
    });
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!('method' in message) || !('id' in message)) {
      await super.send(message, options);
      this.#endCancelled(message);
      return;
    }
    const { id } = message;
    const exchange = new AbortController();
    const forget = (): void => void this.#unanswered.delete(id);
    this.#unanswered.set(id, exchange);
    options?.requestSignal?.addEventListener('abort', forget, { once: true });
    const requestSignal = options?.requestSignal ? AbortSignal.any([options.requestSignal, exchange.signal]) : exchange.signal;
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      this.#answerFor(id);
    };
    try {
      await super.send(message, { ...options, requestSignal, onRequestStreamEnd });
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** To be called with every message that comes. */
  received(message: JSONRPCMessage): void {
    this.#reconnects = 0;
    if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
  }

  /** Ends the session at the server too, if there is one and it answers. */
  override close(): Promise<void> {
    this.#closed ??= this.#leave();
    return this.#closed;
  }

  async #leave(): Promise<void> {
    await settlesWithin(this.terminateSession(), GOODBYE_MS).catch(() => {
      // Then the server forgets it by itself.
    });
    await super.close();
  }

  /** A server need not end the answer to a request that was cancelled: nobody waits for it. */
  #endCancelled(message: JSONRPCMessage): void {
    const id = cancelledId(message);
    if (id === undefined) return;
    this.#unanswered.get(id)?.abort();
    this.#unanswered.delete(id);
  }

  /** Nothing will come any more for this request. */
  #answerFor(id: string | number): void {
    if (!this.#unanswered.delete(id)) return;
    const onmessage: Transport['onmessage'] = this.onmessage;
    onmessage?.({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: 'The connection broke off before the answer was there.' } });
  }

  #comeBack(reconnect: () => void, delay: number): () => void {
    const least = MIN_DELAY_MS * 2 ** Math.min(this.#reconnects, 10);
    this.#reconnects += 1;
    const timer = setTimeout(reconnect, Math.min(Math.max(delay, least), MAX_DELAY_MS));
    return () => clearTimeout(timer);
  }
}
