// Search engines on this machine, which answer as the real ones do.
import type { IncomingMessage, RequestListener } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { SearchProviderName } from '../../src/contract/index.ts';

export interface EngineRequest {
  readonly method: string | undefined;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export interface EngineHit {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** Answers each search with these hits, and notes what it was asked. */
export function engine(provider: SearchProviderName, hits: readonly EngineHit[], asked: EngineRequest[] = []): RequestListener {
  return (request, response) => {
    void reply();
    async function reply(): Promise<void> {
      asked.push(await read(request));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWERS[provider](hits)));
    }
  };
}

async function read(request: IncomingMessage): Promise<EngineRequest> {
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://engine');
  const { method, headers } = request;
  const body = await textOf(request);
  return { method, path, parameters: Object.fromEntries(searchParams), headers, body: body === '' ? {} : JSON.parse(body) };
}

const ANSWERS: Readonly<Record<SearchProviderName, (hits: readonly EngineHit[]) => unknown>> = {
  searxng: (hits) => ({
    query: 'q',
    number_of_results: 0,
    results: hits.map(({ title, url, text }) => ({ url, title, content: text, engine: 'duckduckgo', score: 1, category: 'general' })),
    answers: [],
    unresponsive_engines: [],
  }),
  brave: (hits) => ({
    type: 'search',
    query: { original: 'q' },
    ...(hits.length > 0 && {
      web: { type: 'search', results: hits.map(({ title, url, text }) => ({ type: 'search_result', title, url, description: text })) },
    }),
  }),
  tavily: (hits) => ({
    query: 'q',
    answer: null,
    images: [],
    results: hits.map(({ title, url, text }) => ({ title, url, content: text, score: 0.9, raw_content: null })),
    response_time: 1.2,
  }),
};
