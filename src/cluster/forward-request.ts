// One request passed on to the node that works on its session, and the reply passed back, both as they come: what one side
// does not take, the other does not send. A client that leaves ends the request; a node that breaks off ends the reply.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import type { Agent, Dispatcher } from 'undici';
import { late } from '../contract/index.ts';
import { headersToForward, headersToReturn, pathToForward } from './hop-headers.ts';
import { FORWARDED_HEADER, type ForwardedRequest } from './identity.ts';
import { elsewhere } from './reach-owner.ts';
import { watchPlace } from './watch-place.ts';
import type { Place, Whereabouts } from './whereabouts.ts';

const CONNECT_MS = 3_000;
const MAX_WARNED = 100;
/** The most that a refusal takes: what is larger, or does not say how large it is, is none of ours. */
const REFUSAL_BYTES = 65_536;
/** Errors after which a node has got nothing. */
const UNREACHED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Their effect is the same when a node got them before it died. */
const SAFE_TO_REPEAT = ['GET', 'HEAD', 'DELETE'];
/** With these a node says that another may serve. */
const PASSING = /"\/problems\/(?:session-elsewhere|draining)"/;

export interface Exchange {
  readonly sessionId: string;
  readonly request: IncomingMessage;
  readonly reply: ServerResponse;
  /** The body where it was read already; else it is passed on as it comes. */
  readonly body?: string;
  /** Called once there is something to send. @returns what this node says in the head of the reply */
  readonly takeReply: () => OutgoingHttpHeaders;
  /** The header that tells who asks. */
  readonly identityFor: (request: ForwardedRequest) => Promise<string>;
  /** Named in the log of both nodes. */
  readonly requestId: string;
  /** Aborted when the client has left, or this node stops. */
  readonly signal: AbortSignal;
}

export interface Forwarder {
  /**
   * @returns false when the node has not served it and it can be tried again
   * @throws Problem `session-elsewhere` when it has not and it cannot; `store-unavailable`
   */
  forward(exchange: Exchange, place: Place): Promise<boolean>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface ForwarderOptions {
  readonly whereabouts: Whereabouts;
  /** How often to look whether a silent node still has the session, in milliseconds. */
  readonly lookMs: number;
  /** Told in a sentence of what an operator should mend, once for each node. */
  readonly warn: (message: string) => void;
}

export function createForwarder({ whereabouts, lookMs, warn }: ForwarderOptions): Forwarder {
  const agents = late(openAgent, (agent) => agent.destroy());
  const warned = new LRUCache<string, true>({ max: MAX_WARNED });
  const warnOnce = ({ node, url }: Place): void => {
    if (!warned.has(node)) warn(`The node ${node} at ${url} does not know this one: set the clocks of both right.`);
    warned.set(node, true);
  };
  return {
    async forward(exchange, place) {
      if (place.url === null) return false;
      const { request, reply, sessionId } = exchange;
      const heard = bytesBetween(request, reply);
      const watch = watchPlace({ sessionId, place, whereabouts, lookMs, heard });
      const signal = AbortSignal.any([exchange.signal, watch.moved]);
      try {
        const agent = await agents.get();
        const answer = await ask({ agent, exchange, url: place.url, place, signal });
        if (answer === null) return false;
        if (isRefusal(answer)) {
          if (answer.statusCode === 401) warnOnce(place);
          if (isRepeatable(exchange)) return false;
          throw elsewhere(sessionId);
        }
        await giveBack(answer, exchange, signal);
        // What is left of a body must not hold up the next request of the connection.
        request.resume();
        return true;
      } catch (error) {
        request.resume();
        throw error;
      } finally {
        watch.stop();
      }
    },
    close: () => agents.close(),
  };
}

/** Loaded when the first request is passed on. */
async function openAgent(): Promise<Agent> {
  const undici = await import('undici');
  // How long a reply takes is nobody's to say: a turn may wait for people for days.
  return new undici.Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: 0 });
}

interface Asking {
  readonly agent: Agent;
  readonly exchange: Exchange;
  readonly place: Place;
  readonly url: string;
  readonly signal: AbortSignal;
}

interface Answer extends Dispatcher.ResponseData<unknown> {
  /** The body of what may be a refusal. */
  readonly refusal: string | null;
}

/** @returns `null` when it can be tried again. @throws Problem `session-elsewhere` */
async function ask({ agent, exchange, place, url, signal }: Asking): Promise<Answer | null> {
  const { request, requestId } = exchange;
  const path = pathToForward(request.url ?? '/');
  const method = request.method ?? 'GET';
  const body = exchange.body ?? (hasBody(request) ? bytesOf(request) : null);
  const headers = headersToForward(request.headers, body !== null);
  if (exchange.body !== undefined) delete headers['content-length'];
  const identity = await exchange.identityFor({ to: place.node, method, path });
  try {
    const answer = await agent.request({
      origin: url,
      path,
      method,
      headers: { ...headers, 'x-request-id': requestId, [FORWARDED_HEADER]: identity },
      // Any async iterable will do, which the types leave out.
      body: body as string | Readable | null,
      signal,
    });
    return { ...answer, refusal: mayBeRefusal(answer) ? await answer.body.text() : null };
  } catch (error) {
    if (exchange.signal.aborted || SAFE_TO_REPEAT.includes(method) || isUnreached(error)) return null;
    throw elsewhere(exchange.sessionId);
  }
}

function mayBeRefusal({ statusCode, headers }: Dispatcher.ResponseData<unknown>): boolean {
  return (statusCode === 401 || statusCode === 503) && Number(headers['content-length'] ?? Infinity) <= REFUSAL_BYTES;
}

/** Whether another node may serve; the client is known, so it is this node that is not. */
function isRefusal({ statusCode, refusal }: Answer): boolean {
  return refusal !== null && (statusCode === 401 || PASSING.test(refusal));
}

async function giveBack(
  { statusCode, headers, body, refusal }: Answer,
  { reply, takeReply }: Exchange,
  signal: AbortSignal,
): Promise<void> {
  reply.writeHead(statusCode, headersToReturn(headers, takeReply()));
  if (refusal !== null) return void reply.end(refusal);
  reply.flushHeaders();
  try {
    await pipeline(body, reply, { signal });
  } catch {
    // Either side has left: the other one learns it by this.
    reply.destroy();
  }
}

/** Whether a request that a node has refused can be sent again: nothing of its body has gone. */
export function isRepeatable({ request, body }: Pick<Exchange, 'request' | 'body'>): boolean {
  return body !== undefined || !hasBody(request);
}

/** Those of methods without a meaning of their own are not passed on. */
function hasBody({ method = 'GET', headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return !SAFE_TO_REPEAT.includes(method) && (encoding !== undefined || (length !== undefined && length !== '0'));
}

/** Nothing is read before the node takes it, and the connection stays when it does not take all. */
async function* bytesOf(request: IncomingMessage): AsyncGenerator<Buffer, void> {
  yield* request.iterator({ destroyOnReturn: false });
}

function isUnreached(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && UNREACHED.has(code);
}

/** Bytes that have passed; ever more while it is the client that is waited for. */
function bytesBetween({ socket }: IncomingMessage, reply: ServerResponse): () => number {
  let waits = 0;
  return () => {
    if (reply.writableNeedDrain) waits += 1;
    return socket.bytesRead + socket.bytesWritten + waits;
  };
}
