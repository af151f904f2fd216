// One exchange with the engine, within limits of time and size.
import { parsedJson, readWithin } from '../contract/index.ts';
import type { SearchRequest } from './provider.ts';
import { WebSearchError } from './search-error.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 2 * 1024 * 1024;

export interface EngineQuestion {
  readonly request: SearchRequest;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** The JSON that it answers. @throws WebSearchError when there is none; what `signal` was aborted with when that fired */
export async function askEngine({ request, fetch: ask, signal, timeoutMs = TIMEOUT_MS }: EngineQuestion): Promise<unknown> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const { method, url, headers, body } = request;
  try {
    const response = await ask(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      // The key is for the operator's address alone.
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new WebSearchError(failureOf(response.status));
    }
    const { bytes, cut } = await readWithin(response.body, MAX_BYTES);
    if (cut) throw new WebSearchError('The search engine answered with more than can be read: ask for less.');
    const answer = parsedJson(bytes.toString('utf8'));
    if (answer === undefined) throw new WebSearchError('The search engine did not answer with JSON: tell the operator.');
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WebSearchError) throw error;
    // The cause is left out: it may name the operator's address.
    throw new WebSearchError(
      deadline.aborted ? `The search engine did not answer within ${timeoutMs / 1000} seconds.` : 'The search engine could not be reached.',
    );
  }
}

function failureOf(status: number): string {
  if (status === 401) return 'The search engine does not accept the key of this service: tell the operator.';
  if (status === 403)
    return 'The search engine refuses this service: tell the operator. (SearXNG does so unless its settings allow the format json.)';
  if (status === 429) return 'The search engine was asked too often: wait a while and try again.';
  if (status >= 300 && status < 400) return 'The search engine has moved to another address, which is not followed: tell the operator.';
  return `The search engine failed with status ${status}: try again later, or tell the operator.`;
}
