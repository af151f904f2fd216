// A plain HTTP request in absolute form: sent on by a client of our own, its answer as it comes.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { request as send, type Dispatcher } from 'undici';
import { passesOn } from '../contract/index.ts';
import { readWebUrl } from './check-url.ts';
import type { Passage } from './passage.ts';
import { toFetchError } from './fetch-error.ts';

/** Never throws: a client that may not pass is told why. */
export async function forwardRequest(passage: Passage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const check = readWebUrl(request.url ?? '');
  if (!check.ok || check.url.protocol !== 'http:') {
    const reason =
      check.ok || request.url?.startsWith('/') === true
        ? 'This is a proxy: ask for an absolute http:// URL, or use CONNECT.'
        : check.reason;
    return answer(response, 400, reason);
  }
  const { url, target } = check;
  const refusal = passage.refuse(target);
  if (refusal !== null) return answer(response, 403, refusal);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const reply = await send(url, { ...outgoing(request), signal: gone.signal, dispatcher: passage.agent });
    response.writeHead(reply.statusCode, endToEnd(reply.headers));
    await pipeline(reply.body, response);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { kind, message } = toFetchError(error, target.host);
    answer(response, kind === 'blocked' ? 403 : kind === 'timeout' ? 504 : 502, message);
  }
}

function outgoing(request: IncomingMessage): Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  return {
    method: request.method ?? 'GET',
    headers: endToEnd(request.headers),
    body: hasBody ? request : null,
  };
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passes = passesOn(headers);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value !== undefined && passes(name) ? [[name, value] as const] : [])),
  );
}

function answer(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${reason}\n`);
}
