// The port to the public web. Addresses that come from a session go through the guarded way out, whoever fills this port.

export interface WebRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the exchange, the body included: nothing else does while a server is slow. */
  readonly signal: AbortSignal;
}

export interface WebResponse {
  readonly status: number;
  /** Names in lower case; values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, after redirects on the same host. */
  readonly url: string;
  /** Where the answer sends its asker on to: another host, which was not asked. */
  readonly redirectTo?: string;
  /** Decompressed, of any size: who leaves it unread aborts the signal. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** A request with a body, to the server of a tool or of a hook. */
export interface FetchRequest extends WebRequest {
  readonly method: string;
  readonly body: string;
  /** `manual`: a redirect is an answer like any other. */
  readonly redirect: 'follow' | 'manual';
}

/** A `fetch`: for what comes from a session the one that refuses addresses that are not public, those of redirects too. */
export type Fetch = (url: string, request: FetchRequest) => Promise<Pick<WebResponse, 'status' | 'body'>>;

/** Search engines that are known by name. */
export const SEARCH_PROVIDERS = ['searxng', 'brave', 'tavily'] as const;
export type SearchProviderName = (typeof SEARCH_PROVIDERS)[number];

export interface WebQuery {
  readonly query: string;
  /** Host names; results from others, or their subdomains, are left out. Empty: all. */
  readonly allowedDomains: readonly string[];
  readonly blockedDomains: readonly string[];
  readonly maxResults: number;
  readonly signal: AbortSignal;
}

export interface WebHit {
  readonly title: string;
  readonly url: string;
  /** Plain text. */
  readonly snippet: string;
}

export interface Web {
  /** Fetches what is at a public address. @throws Error fit for a model when the address is not to be had or the exchange fails */
  fetch(url: string, request: WebRequest): Promise<WebResponse>;
  /** Asks the operator's search engine. @throws Error fit for a model when there is none or it fails */
  search(query: WebQuery): Promise<readonly WebHit[]>;
}
