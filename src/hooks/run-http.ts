// A hook behind a URL: the occasion goes out as JSON, the body of the answer is read as what a command prints.
import { readWithin, type Fetch } from '../contract/index.ts';

export interface HookCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of the answer, as they are after decompression. */
  readonly maxBytes: number;
}

export interface HookReply {
  readonly status: number;
  readonly body: string;
  readonly timedOut: boolean;
  readonly overflowed: boolean;
}

/** @throws Error when there was no answer for another reason than time */
export async function callHook(fetch: Fetch, { url, headers, body, timeoutMs, signal, maxBytes }: HookCall): Promise<HookReply> {
  const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    });
    const { bytes, cut } = await readWithin(response.body, maxBytes);
    return { status: response.status, body: cut ? '' : bytes.toString('utf8'), timedOut: false, overflowed: cut };
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    return { status: 0, body: '', timedOut: true, overflowed: false };
  }
}

/** Puts variables into the values of headers: those that `allowed` names, and nothing for any other. */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  allowed: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const valueOf = (name: string): string => (allowed.includes(name) && Object.hasOwn(variables, name) ? (variables[name] ?? '') : '');
  const fill = (value: string): string =>
    value.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_, braced?: string, bare?: string) => valueOf(braced ?? bare ?? ''));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}
