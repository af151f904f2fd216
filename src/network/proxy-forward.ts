// A plain HTTP request in absolute form: sent on by a client of our own, its answer as it comes.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { request as send, type Dispatcher } from 'undici';
import { readWebUrl } from './check-url.ts';
import type { Passage } from './passage.ts';
import { toFetchError } from './fetch-error.ts';

/** What belongs to one connection and is never sent on, beside what `Connection` names. */
const OF_CONNECTION = ['connection', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Never throws: a client that may not pass is told why. */
export async function forwardRequest(passage: Passage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const check = readWebUrl(request.url ?? '');
  if (!check.ok || check.url.protocol !== 'http:') {
    const reason =
      check.ok || request.url?.startsWith('/') === true
        ? 'This is a proxy: ask for an absolute http:// URL, or use CONNECT.'
        : check.reason;
    passage.onRefused({ reason });
    return answer(response, 400, reason);
  }
  const { url, target } = check;
  const refusal = passage.refuse(target);
  if (refusal !== null) {
    passage.onRefused({ target, reason: refusal });
    return answer(response, 403, refusal);
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const reply = await send(url, { ...outgoing(request), signal: gone.signal, dispatcher: passage.agent });
    response.writeHead(reply.statusCode, endToEnd(reply.headers));
    await pipeline(reply.body, response);
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { kind, message } = toFetchError(error, target.host);
    if (kind === 'blocked') passage.onRefused({ target, reason: message });
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
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const isOurs = (name: string) => OF_CONNECTION.includes(name) || name.startsWith('proxy-') || named.includes(name);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || isOurs(name) ? [] : [[name, value] as const])),
  );
}

function answer(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${reason}\n`);
}
