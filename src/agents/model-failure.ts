// What went wrong with a question to the model: in words that show no key, and whether asking again may help.
import { messageOf, withoutSecrets } from '../contract/index.ts';
import { BrokenStream } from './read-reply.ts';

/** Characters of what the API itself says about a failure. */
const MAX_CHARS = 500;

export interface ModelFailure {
  /** For a model. */
  readonly text: string;
  /** Asking the same again may help. */
  readonly passing: boolean;
  /** Milliseconds that the API wants to be left alone. */
  readonly waitMs?: number;
}

/** What is looked at of an error of the SDK, whose classes are loaded only with it. */
interface ApiFailure {
  readonly status?: number | undefined;
  readonly apiMessage?: string | null;
  readonly type?: string | null;
  readonly headers?: Headers | undefined;
}

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'the API does not take the key of this service: tell the user that its operator has to set it right',
  402: 'the account that this service uses has to be paid for: tell the user',
  403: 'the API does not let this service ask: tell the user that its operator has to set it right',
  404: 'the API knows no such model or address: tell the user that the operator of this service has to set it right',
  429: 'the API gets more questions than it takes from this service: try again later, or with fewer agents at once',
  529: 'the API has too much to do: try again later',
};

/** Types of errors that come inside of a stream, where there is no status any more. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  overloaded_error: 529,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
};

const PASSING: ReadonlySet<number> = new Set([408, 409, 429]);

/** @param apiKey taken out of all that is told */
export function describeFailure(error: unknown, apiKey: string | undefined): ModelFailure {
  const said = (text: string): string => `The model cannot be asked: ${withoutSecrets(apiKey === undefined ? [] : [apiKey])(text)}.`;
  if (error instanceof BrokenStream) return { text: said(`its answer cannot be read, ${error.message}`), passing: true };
  const { status, apiMessage, type, headers } = apiFailure(error);
  const code = status ?? STATUS_OF_TYPE[type ?? ''];
  if (code === undefined && !apiMessage) {
    // Where the connection was to lead is the operator's matter, and not told.
    const lost = isLost(error);
    const why = lost ? 'the API cannot be reached, or its answer cannot be read: try again later' : messageOf(error);
    return { text: said(short(why)), passing: lost };
  }
  const why =
    BY_STATUS[code ?? 0] ?? (code !== undefined && code >= 500 ? 'the API fails: try again later' : 'the API refuses the question');
  const words = [...(code === undefined ? [] : [`status ${code}`]), ...(apiMessage ? [short(apiMessage)] : [])];
  const waitMs = headers === undefined ? undefined : askedWait(headers);
  return {
    text: said(`${why} (${words.join(': ')})`),
    passing: code !== undefined && (code >= 500 || PASSING.has(code)),
    ...(waitMs !== undefined && { waitMs }),
  };
}

function short(text: string): string {
  return text.slice(0, MAX_CHARS).toWellFormed().replace(/\.$/, '');
}

function apiFailure(error: unknown): ApiFailure {
  return typeof error === 'object' && error !== null && 'apiMessage' in error ? (error as ApiFailure) : {};
}

/** A connection that failed or broke off, or something that is no stream of the Messages API. */
function isLost(error: unknown): boolean {
  return error instanceof TypeError || error instanceof SyntaxError || (error instanceof Error && 'apiMessage' in error);
}

/** Milliseconds in headers that ask to wait; `undefined` when there is nothing of the kind. */
function askedWait(headers: Headers): number | undefined {
  const given = Number(headers.get('retry-after-ms') ?? Number(headers.get('retry-after') ?? Number.NaN) * 1_000);
  return Number.isFinite(given) && given > 0 ? given : undefined;
}
