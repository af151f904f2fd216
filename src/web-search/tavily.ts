import { z } from 'zod';
import { searchUrl, type SearchProvider } from './provider.ts';

const answer = z.object({
  results: z.array(z.object({ title: z.string().nullish(), url: z.string().nullish(), content: z.string().nullish() })),
});

export const tavily: SearchProvider = {
  request({ query, allowedDomains, blockedDomains, maxResults }, { url, apiKey }) {
    return {
      method: 'POST',
      url: searchUrl(url, '/search'),
      headers: { 'content-type': 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({
        query,
        max_results: maxResults,
        ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
        ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains }),
      }),
    };
  },
  hits(given) {
    const read = answer.safeParse(given);
    if (!read.success) return null;
    return read.data.results.map(({ title, url, content }) => ({ title: title ?? '', url: url ?? '', snippet: content ?? '' }));
  },
};
