// The web as calls use it: addresses through the guarded way out, searches through the operator's engine.
import type { Web } from '../contract/index.ts';
import type { GuardedFetch } from '../network/guarded-fetch.ts';
import { createWebSearch, type WebSearchSettings } from '../web-search/create-web-search.ts';

export interface WebOptions {
  /** Absent: there is no search engine. */
  readonly config: { readonly webSearch?: WebSearchSettings | undefined };
  readonly guardedFetch: GuardedFetch['fetch'];
}

/** @throws Error for an engine's address that is no URL */
export function joinWeb({ config: { webSearch }, guardedFetch }: WebOptions): Web {
  const search = webSearch === undefined ? noSearch : createWebSearch({ ...webSearch, fetch });
  return {
    fetch: (url, request) => guardedFetch(url, { ...request, redirect: 'same-host' }),
    search,
  };
}

const noSearch: Web['search'] = () => Promise.reject(new Error('This service has no search engine: tell the operator.'));
