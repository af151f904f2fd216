// One exchange: its body read whole, within limits of size and time.
import { Buffer } from 'node:buffer';
import { readWithin, type Web, type WebResponse } from '../../src/contract/index.ts';

/** Bytes of an answer, after decompression. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Bytes that are read of an answer that tells of a failure. */
const FAILURE_BYTES = 64 * 1024;
/** Milliseconds for the whole exchange. */
const TIMEOUT_MS = 30_000;
/** Pages are asked for as Markdown where a site has them so. */
const ACCEPT = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, */*;q=0.8';

export interface Answer {
  readonly status: number;
  /** Where it came from, after redirects on the same host. */
  readonly url: string;
  /** Another host that was not asked. */
  readonly redirectTo?: string;
  /** Empty when the header is missing. */
  readonly contentType: string;
  /** Empty for a redirect, and only the beginning for a failure. */
  readonly bytes: Buffer;
}

export interface AnswerRequest {
  readonly web: Pick<Web, 'fetch'>;
  readonly url: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** @throws Error fit for a model when there is no whole answer; what `signal` was aborted with when that fired */
export async function fetchAnswer({ web, url, signal, timeoutMs = TIMEOUT_MS }: AnswerRequest): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  // Ends the exchange when it was left before its end.
  const leaving = new AbortController();
  try {
    const response = await web.fetch(url, { headers: { accept: ACCEPT }, signal: AbortSignal.any([signal, deadline, leaving.signal]) });
    return await readAnswer(response);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new Error(`There was no whole answer from ${url} within ${timeoutMs / 1000} seconds.`, { cause: error });
    throw error;
  } finally {
    leaving.abort();
  }
}

async function readAnswer({ status, url, redirectTo, headers, body }: WebResponse): Promise<Answer> {
  const contentType = headers['content-type'] ?? '';
  if (redirectTo !== undefined) return { status, url, redirectTo, contentType, bytes: Buffer.alloc(0) };
  const { bytes, cut } = await readWithin(body, isGood(status) ? MAX_BYTES : FAILURE_BYTES);
  if (cut && isGood(status)) throw new Error(`${url} is larger than ${MAX_BYTES / 1024 / 1024} MiB, which is more than can be fetched.`);
  return { status, url, contentType, bytes };
}

export function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}
