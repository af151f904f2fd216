// One WebSocket of a session, as something to read frames from. It ends once; whoever reads it looks then why.
import { createEventQueue } from './event-queue.ts';
import type { AckEvent, PongEvent } from './generated.ts';
import { ToolexecProblem } from './problem.ts';
import type { SocketLike, Transport } from './transport.ts';
import type { ToolexecEvent } from './types.ts';

export type ServerFrame = ToolexecEvent | AckEvent | PongEvent;

/** Milliseconds after which the service is told that there is somebody, and asked whether it is there. */
const PING_MS = 15_000;
/** Milliseconds without any frame after which the connection counts as dead. */
const SILENCE_MS = 45_000;
/** Frames that may wait to be read: then the socket is closed, to go on later from the log. */
const WAITING_FRAMES = 20_000;
const OPEN = 1;

export class Connection {
  readonly #socket: SocketLike;
  readonly #inbox = createEventQueue<ServerFrame>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #silentSince = Date.now();
  #ended = false;
  #refusal: ToolexecProblem | undefined;
  /** The last one that belongs to no frame. */
  #problem: ToolexecProblem | undefined;

  /** Connects. @param after `seq` after which the log is told; from now on when absent. @throws TypeError where there is no WebSocket */
  constructor(transport: Transport, path: string, after: number | undefined) {
    const socket = openSocket(transport, path + (after === undefined ? '' : `?after=${after}`));
    this.#socket = socket;
    this.#pingEvery(PING_MS);
    socket.addEventListener('message', ({ data }) => {
      if (!this.#ended) this.#hear(String(data));
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (!this.#ended) this.#refusal = refusalOf(code, reason, this.#problem);
      this.close();
    });
    socket.addEventListener('error', () => {
      // What matters is told by `close`.
    });
  }

  /** Why there is no use in connecting again, if so. */
  get refusal(): ToolexecProblem | undefined {
    return this.#refusal;
  }

  /** Ends when the socket has closed. */
  frames(): AsyncGenerator<ServerFrame> {
    return this.#inbox.read();
  }

  /** Lost when the socket has closed. */
  send(frame: object): void {
    if (!this.#ended && this.#socket.readyState === OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    this.#socket.close();
    this.#inbox.end();
  }

  #hear(text: string): void {
    try {
      this.#take(JSON.parse(text) as ServerFrame);
    } catch {
      // It is not the service that speaks there: another connection may lead to it.
      this.close();
    }
  }

  #take(frame: ServerFrame): void {
    this.#silentSince = Date.now();
    // A model that thinks for long must not look like a client that has gone.
    if (frame.type === 'session') this.#pingEvery(Math.min(PING_MS, frame.session.execution.input_idle_ms / 3));
    if (frame.type === 'error' && frame.ref === undefined) this.#problem = new ToolexecProblem(frame.problem);
    if (this.#inbox.push(frame) >= WAITING_FRAMES) this.close();
  }

  #pingEvery(ms: number): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (Date.now() - this.#silentSince > SILENCE_MS) this.close();
      else this.send({ type: 'ping' });
    }, ms);
  }
}

/** @throws TypeError where there is no WebSocket */
function openSocket({ url, key, WebSocket: Socket }: Transport, path: string): SocketLike {
  if (Socket === undefined) {
    throw new TypeError('This runtime has no WebSocket: give one as the option WebSocket, such as that of the package ws.');
  }
  // Browsers let a socket have no headers: the key goes as a subprotocol.
  return new Socket(url.replace(/^http/, 'ws') + path, ['toolexec.v1', ...(key === undefined ? [] : [`toolexec.key.${base64url(key)}`])]);
}

function base64url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** What each close code says that another connection would say, too. */
const REFUSALS: Readonly<Record<number, { slug: string; title: string; status: number }>> = {
  1008: { slug: 'forbidden', title: 'Not allowed', status: 403 },
  1009: { slug: 'payload-too-large', title: 'Frame too large', status: 413 },
  4401: { slug: 'unauthorized', title: 'Unauthorized', status: 401 },
  4404: { slug: 'session-not-found', title: 'Session not found', status: 404 },
};

function refusalOf(code: number, reason: string, told: ToolexecProblem | undefined): ToolexecProblem | undefined {
  const known = REFUSALS[code];
  if (known === undefined) return undefined;
  return told ?? new ToolexecProblem({ type: `/problems/${known.slug}`, title: known.title, status: known.status, detail: reason });
}
