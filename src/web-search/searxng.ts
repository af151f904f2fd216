import { z } from 'zod';
import { searchUrl, withSites, type SearchProvider } from './provider.ts';

const answer = z.object({
  results: z.array(z.object({ title: z.string().nullish(), url: z.string().nullish(), content: z.string().nullish() })),
});

/** An instance whose settings allow the format `json`. A key goes along as a bearer token, for a proxy in front of it. */
export const searxng: SearchProvider = {
  request(query, { url: base, apiKey }) {
    const url = searchUrl(base, '/search');
    url.searchParams.set('q', withSites(query));
    url.searchParams.set('format', 'json');
    return { method: 'GET', url, headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` } };
  },
  hits(given) {
    const read = answer.safeParse(given);
    if (!read.success) return null;
    return read.data.results.map(({ title, url, content }) => ({ title: title ?? '', url: url ?? '', snippet: content ?? '' }));
  },
};
