// One socket passed on to the node that works on its session: messages go both ways as they come, and who sends faster than
// the other side takes is made to wait. Pings are each hop's own.
import { on } from 'node:events';
import { WebSocket } from 'ws';
import { pathToForward } from './hop-headers.ts';
import { FORWARDED_HEADER, type ForwardedRequest } from './identity.ts';
import { watchPlace, type Watching } from './watch-place.ts';
import type { Place } from './whereabouts.ts';

const PROTOCOL = 'toolexec.v1';
/** Also where the client has left meanwhile: what it had sent still counts. */
const HANDSHAKE_MS = 3_000;
/** Bytes that wait for one side before the other is made to wait. */
const BUFFERED_BYTES = 1_048_576;
/** What the smallest message takes of them. */
const MESSAGE_BYTES = 4_096;

export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

const NODE_GONE: SocketEnd = { code: 1001, reason: 'the node that ran the session has gone: reconnect with ?after=' };

/** The client's end. */
export interface SocketClient {
  readonly sessionId: string;
  /** Of the request that became the socket. */
  readonly url: string;
  /** What the client sends, in order; ends when it has left, or was closed. */
  readonly frames: AsyncIterable<string>;
  /** Resolves when there is room for more: to false when the client has gone, or does not read. */
  readonly send: (text: string) => Promise<boolean>;
  readonly close: (end: SocketEnd) => void;
  /** The header that tells who asks. */
  readonly identityFor: (request: ForwardedRequest) => Promise<string>;
  /** Named in the log of both nodes. */
  readonly requestId: string;
}

/** How it is known whether a silent node still has the session. */
export type PlaceLooks = Pick<Watching, 'whereabouts' | 'lookMs'>;

/**
 * Serves a client at another node, until either of them has left.
 * @returns false when the node has not taken it, and it can be tried again
 * @throws Problem `store-unavailable`
 */
export async function forwardSocket(client: SocketClient, place: Place, { whereabouts, lookMs }: PlaceLooks): Promise<boolean> {
  if (place.url === null) return false;
  const upstream = await dial(client, place.node, place.url);
  const opened = new Promise<boolean>((resolve) => upstream.once('open', () => resolve(true)).once('close', () => resolve(false)));
  const ended = new Promise<SocketEnd>((resolve) =>
    upstream.once('close', (code, reason) => resolve(isCut(code) ? NODE_GONE : { code, reason: reason.toString('utf8') })),
  );
  // What comes with the handshake must find its reader.
  const messages = messagesOf(upstream);
  const watch = watchPlace({ sessionId: client.sessionId, place, whereabouts, lookMs, heard: eventsOf(upstream) });
  watch.moved.addEventListener('abort', () => upstream.terminate());
  try {
    if (!(await opened)) return false;
    void passUp(client, upstream);
    await passDown(messages, client);
    // A paused socket would not see the node's goodbye.
    upstream.resume();
    client.close(await ended);
    return true;
  } finally {
    watch.stop();
    upstream.terminate();
  }
}

async function dial(client: SocketClient, node: string, url: string): Promise<WebSocket> {
  const address = new URL(`${new URL(url).origin.replace(/^http/, 'ws')}${pathToForward(client.url)}`);
  const identity = await client.identityFor({ to: node, method: 'GET', path: `${address.pathname}${address.search}` });
  const headers = { 'x-request-id': client.requestId, [FORWARDED_HEADER]: identity };
  const upstream = new WebSocket(address, [PROTOCOL], { headers, perMessageDeflate: false, handshakeTimeout: HANDSHAKE_MS });
  upstream.on('error', () => {
    // Its end follows, and tells.
  });
  return upstream;
}

/** From now on, also before they are read; the node is made to wait while too much is not. Ends with the socket. */
function messagesOf(upstream: WebSocket): AsyncIterable<Buffer> {
  let waiting = 0;
  const count = (bytes: number): void => {
    waiting += bytes;
    if (waiting > BUFFERED_BYTES) upstream.pause();
    else if (upstream.isPaused) upstream.resume();
  };
  upstream.on('message', (data: Buffer) => count(data.length + MESSAGE_BYTES));
  const messages = on(upstream, 'message', { close: ['close'] }) as AsyncIterable<[data: Buffer]>;
  return (async function* () {
    for await (const [data] of messages) {
      yield data;
      count(-data.length - MESSAGE_BYTES);
    }
  })();
}

/** Ends with the node, or when the client does not read: then what it had sent still goes. */
async function passDown(messages: AsyncIterable<Buffer>, client: SocketClient): Promise<void> {
  try {
    for await (const data of messages) if (!(await client.send(data.toString('utf8')))) return;
  } catch {
    // The connection broke: its end tells.
  }
}

/** What a client had sent before it left still goes, then the node learns of it. Never throws. */
async function passUp({ frames }: SocketClient, upstream: WebSocket): Promise<void> {
  for await (const text of frames) {
    if (upstream.bufferedAmount < BUFFERED_BYTES) upstream.send(text, ignoreFailure);
    else await new Promise<void>((resolve) => upstream.send(text, () => resolve()));
  }
  upstream.close(1000);
}

/** Without a code, or without a goodbye. */
function isCut(code: number): boolean {
  return code === 1005 || code === 1006;
}

function ignoreFailure(): void {
  // The connection broke: its end tells.
}

/** How often the node was heard of; ever more while it is the client that is waited for. */
function eventsOf(upstream: WebSocket): () => number {
  let heard = 0;
  const hear = (): void => void (heard += 1);
  upstream.on('message', hear).on('ping', hear);
  return () => {
    if (upstream.isPaused) hear();
    return heard;
  };
}
