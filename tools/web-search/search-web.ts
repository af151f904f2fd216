import { messageOf, type CallContext, type ToolResult, type WebHit } from '../../src/contract/index.ts';
import type { SearchInput } from './input.ts';

const MAX_RESULTS = 10;

export interface SearchOutput {
  results: WebHit[];
}

export async function searchWeb(
  { query, allowed_domains: allowedDomains = [], blocked_domains: blockedDomains = [] }: SearchInput,
  { web, signal }: CallContext,
): Promise<ToolResult<SearchOutput>> {
  try {
    const results = [...(await web.search({ query, allowedDomains, blockedDomains, maxResults: MAX_RESULTS, signal }))];
    return { content: results.length === 0 ? nothingFound(allowedDomains) : results.map(asItem).join('\n\n'), output: { results } };
  } catch (error) {
    signal.throwIfAborted();
    return { content: messageOf(error), isError: true };
  }
}

function nothingFound(allowedDomains: readonly string[]): string {
  const where = allowedDomains.length === 0 ? '' : ` on ${allowedDomains.join(', ')}`;
  return `No results${where}. Use other or fewer words${where === '' ? '' : ', or leave allowed_domains out'}.`;
}

function asItem({ title, url, snippet }: WebHit, index: number): string {
  const indent = ' '.repeat(`${index + 1}. `.length);
  return [`${index + 1}. ${title}`, `${indent}${url}`, ...(snippet === '' ? [] : [`${indent}${snippet}`])].join('\n');
}
