// How the client reaches the service: where, as whom, and with which fetch and WebSocket.

export interface ClientOptions {
  /** Where the service is. Default: the origin of the page, or `http://127.0.0.1:8080`. */
  readonly url?: string | URL;
  /** One of the service's API keys. */
  readonly key?: string;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Default: the global one. Node 20 has none: give the class of the package `ws`. */
  readonly WebSocket?: SocketConstructor;
  /** How often in a row a request or a connection is tried again before it fails. Default 12, about 45 seconds. */
  readonly retries?: number;
}

/** What is needed of a WebSocket: that of browsers, of Node, and of `ws` have it. */
export interface SocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
}

export type SocketConstructor = new (url: string, protocols?: string[]) => SocketLike;

export interface Transport {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly WebSocket: SocketConstructor | undefined;
  readonly retries: number;
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** @throws TypeError for a URL that is none */
export function createTransport({ url, key, fetch, WebSocket, retries = 12 }: ClientOptions): Transport {
  const scope = globalThis as { location?: { origin?: string }; WebSocket?: SocketConstructor };
  const origin = scope.location?.origin;
  const base = new URL(url ?? (origin?.startsWith('http') === true ? origin : DEFAULT_URL));
  return {
    url: base.href.replace(/\/+$/, ''),
    key,
    // Browsers refuse a fetch that is called as a method of something else.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    WebSocket: WebSocket ?? scope.WebSocket,
    retries,
  };
}
