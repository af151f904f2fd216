// The operator's search engine behind one port. Its address is the operator's own, so that nothing guards the way there.
import type { SearchProviderName, WebHit, WebQuery } from '../contract/index.ts';
import { askEngine } from './ask-engine.ts';
import { brave } from './brave.ts';
import { isWanted, readDomains } from './domain-filter.ts';
import { plainSnippet } from './plain-snippet.ts';
import type { RawHit, SearchProvider } from './provider.ts';
import { WebSearchError } from './search-error.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';

export interface WebSearchSettings {
  readonly provider: SearchProviderName;
  /** Where the engine is, such as `https://search.example.com`, with or without the path of its search. */
  readonly url: string;
  readonly apiKey?: string | undefined;
}

export interface WebSearchOptions extends WebSearchSettings {
  readonly fetch: typeof fetch;
  /** Milliseconds for one search; 15 seconds when absent. */
  readonly timeoutMs?: number;
}

const PROVIDERS: Readonly<Record<SearchProviderName, SearchProvider>> = { searxng, brave, tavily };
const MAX_RESULTS = 20;
const MAX_URL = 2_000;
const MAX_TITLE = 200;
const MAX_SNIPPET = 500;

/**
 * What asks the engine. The function it gives throws {@link WebSearchError}, or what the query's signal was aborted with.
 * @throws Error for an address that is no URL
 */
export function createWebSearch(options: WebSearchOptions): (query: WebQuery) => Promise<readonly WebHit[]> {
  const { provider: name, url, apiKey, fetch, timeoutMs } = options;
  const access = { url: new URL(url), apiKey };
  const provider = PROVIDERS[name];
  return async (given) => {
    const { signal } = given;
    const query: WebQuery = {
      ...given,
      allowedDomains: readDomains(given.allowedDomains),
      blockedDomains: readDomains(given.blockedDomains),
      maxResults: Math.min(given.maxResults, MAX_RESULTS),
    };
    if (query.allowedDomains.length < given.allowedDomains.length || query.blockedDomains.length < given.blockedDomains.length) {
      throw new WebSearchError('Domains are names of hosts alone, such as docs.example.com.');
    }
    const answer = await askEngine({
      request: provider.request(query, access),
      fetch,
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    const hits = provider.hits(answer);
    if (hits === null) throw new WebSearchError('The search engine answered with something that is no result: tell the operator.');
    return Promise.all(wanted(hits, query).map(shown));
  };
}

/** Those with a URL of the web, each once, from hosts that were asked for. */
function wanted(hits: readonly RawHit[], query: WebQuery): RawHit[] {
  const found = new Map<string, RawHit>();
  for (const hit of hits) {
    const url = hit.url.length > MAX_URL ? null : URL.parse(hit.url);
    if (url === null || !/^https?:$/.test(url.protocol) || found.has(url.href)) continue;
    if (isWanted(url.hostname.replace(/\.$/, ''), query)) found.set(url.href, { ...hit, url: url.href });
    if (found.size >= query.maxResults) break;
  }
  return [...found.values()];
}

async function shown({ title, url, snippet }: RawHit): Promise<WebHit> {
  return { title: (await plainSnippet(title, MAX_TITLE)) || url, url, snippet: await plainSnippet(snippet, MAX_SNIPPET) };
}
