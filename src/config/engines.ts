// The engines elsewhere that tools work with: a language model, and a search engine.
import type { SearchProviderName } from '../contract/index.ts';
import { ConfigError } from './config-error.ts';

interface EngineSettings {
  readonly TOOLEXEC_MODEL_BASE_URL?: string | undefined;
  readonly TOOLEXEC_MODEL_API_KEY?: string | undefined;
  readonly TOOLEXEC_MODEL?: string | undefined;
  readonly TOOLEXEC_SEARCH_PROVIDER?: SearchProviderName | undefined;
  readonly TOOLEXEC_SEARCH_URL?: string | undefined;
  readonly TOOLEXEC_SEARCH_API_KEY?: string | undefined;
}

/** @throws ConfigError when only a part of it is given */
export function modelOf({ TOOLEXEC_MODEL_BASE_URL: baseUrl, TOOLEXEC_MODEL_API_KEY: apiKey, TOOLEXEC_MODEL: model }: EngineSettings) {
  if (baseUrl === undefined && apiKey === undefined && model === undefined) return undefined;
  if (baseUrl === undefined) throw new ConfigError('TOOLEXEC_MODEL_BASE_URL is missing: the other TOOLEXEC_MODEL settings need it.');
  if (model === undefined) throw new ConfigError('TOOLEXEC_MODEL is missing: name the model that TOOLEXEC_MODEL_BASE_URL serves.');
  return { baseUrl, model, ...(apiKey !== undefined && { apiKey }) };
}

/** Where the engines that are services are to be found. */
const SEARCH_URLS = { brave: 'https://api.search.brave.com', tavily: 'https://api.tavily.com' } as const;

/** @throws ConfigError when only a part of it is given */
export function webSearchOf({
  TOOLEXEC_SEARCH_PROVIDER: provider,
  TOOLEXEC_SEARCH_URL: given,
  TOOLEXEC_SEARCH_API_KEY: apiKey,
}: EngineSettings) {
  if (provider === undefined) {
    if (given === undefined && apiKey === undefined) return undefined;
    throw new ConfigError('TOOLEXEC_SEARCH_PROVIDER is missing: give searxng, brave or tavily.');
  }
  if (provider === 'searxng') {
    if (given === undefined) throw new ConfigError('TOOLEXEC_SEARCH_URL is missing: give the address of your SearXNG.');
    return { provider, url: given, ...(apiKey !== undefined && { apiKey }) };
  }
  if (apiKey === undefined) throw new ConfigError(`TOOLEXEC_SEARCH_API_KEY is missing: ${provider} needs one.`);
  return { provider, url: given ?? SEARCH_URLS[provider], apiKey };
}
