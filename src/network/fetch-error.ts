// Why a request had no answer, in words that a model may read: they tell nothing of what lies behind an address that is not public.

/** `blocked`: may not be reached; `invalid`: no URL of the web; `redirects`: too many, or one that cannot be followed. */
export type FetchErrorKind = 'blocked' | 'invalid' | 'timeout' | 'too_large' | 'redirects' | 'network';

export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly kind: FetchErrorKind;
  constructor(kind: FetchErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

const OF_TLS = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_)/;

/** Gives whatever a client threw its kind and its words. */
export function toFetchError(error: unknown, host: string): FetchError {
  const chain = causesOf(error);
  const own = chain.find((each) => each instanceof FetchError);
  if (own !== undefined) return own;
  const codes = chain.map((each) => ('code' in each && typeof each.code === 'string' ? each.code : ''));
  const has = (test: (code: string) => boolean) => codes.some(test);
  if (has((code) => /TIMEOUT|TIMEDOUT/.test(code))) return new FetchError('timeout', `${host} did not answer in time.`, error);
  if (has((code) => /HEADERS?_OVERFLOW/.test(code)))
    return new FetchError('too_large', `The headers that ${host} sent are too large.`, error);
  if (has((code) => OF_TLS.test(code)))
    return new FetchError(
      'network',
      `No secure connection to ${host} could be made: its certificate, or how it speaks TLS, cannot be trusted.`,
      error,
    );
  if (has((code) => code === 'ECONNREFUSED')) return new FetchError('network', `${host} refused the connection.`, error);
  if (chain.some(({ message }) => message === 'bad port')) return new FetchError('blocked', 'This port is not one of the web.', error);
  return new FetchError('network', `The exchange with ${host} failed before it was complete.`, error);
}

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 10; at = at.cause) {
    chain.push(at);
    if (at instanceof AggregateError) chain.push(...at.errors.filter((each) => each instanceof Error));
  }
  return chain;
}
