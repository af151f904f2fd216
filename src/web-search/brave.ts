import { z } from 'zod';
import { searchUrl, withSites, type SearchProvider } from './provider.ts';

const answer = z.object({
  web: z
    .object({ results: z.array(z.object({ title: z.string().nullish(), url: z.string().nullish(), description: z.string().nullish() })) })
    // Absent when there are no hits.
    .nullish(),
});

export const brave: SearchProvider = {
  request(query, { url: base, apiKey }) {
    const url = searchUrl(base, '/res/v1/web/search');
    url.searchParams.set('q', withSites(query));
    url.searchParams.set('count', String(query.maxResults));
    url.searchParams.set('result_filter', 'web');
    url.searchParams.set('text_decorations', 'false');
    return { method: 'GET', url, headers: apiKey === undefined ? {} : { 'x-subscription-token': apiKey } };
  },
  hits(given) {
    const read = answer.safeParse(given);
    if (!read.success) return null;
    const results = read.data.web?.results ?? [];
    return results.map(({ title, url, description }) => ({ title: title ?? '', url: url ?? '', snippet: description ?? '' }));
  },
};
