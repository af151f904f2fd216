// One WebSocket of a session, as something to read frames from. It ends once; whoever reads it looks then why.
import type { AckEvent, PongEvent } from './generated.ts';
import { ToolexecProblem } from './problem.ts';
import type { SocketLike, Transport } from './transport.ts';
import type { ToolexecEvent } from './types.ts';
import { deferred } from './wait.ts';

export type ServerFrame = ToolexecEvent | AckEvent | PongEvent;

export interface Connection {
  /** Ends when the socket has closed. */
  readonly frames: AsyncIterable<ServerFrame>;
  /** Lost when the socket has closed. */
  readonly send: (frame: object) => void;
  readonly close: () => void;
  /** Why there is no use in connecting again, if so. */
  readonly refusal: () => ToolexecProblem | undefined;
}

/** Milliseconds without a frame after which the service is asked whether it is there. */
const PING_MS = 15_000;
/** Questions without any frame after which the connection counts as dead. */
const PINGS_UNANSWERED = 3;
/** Frames that may wait to be read: then progress is passed over, and at last the socket is closed, to go on later from the log. */
const WAITING = { progress: 1_000, frames: 20_000 };
const OPEN = 1;

/** Connects. @param after `seq` after which the log is told; from now on when absent */
export function connect(transport: Transport, path: string, after: number | undefined): Connection {
  const socket = openSocket(transport, path + (after === undefined ? '' : `?after=${after}`));
  const inbox: ServerFrame[] = [];
  let wake = deferred<void>();
  let [ended, silent] = [false, 0];
  let refusal: ToolexecProblem | undefined;
  let lastProblem: ToolexecProblem | undefined;

  const timer = setInterval(() => {
    silent += 1;
    if (silent > PINGS_UNANSWERED) end();
    else send({ type: 'ping' });
  }, PING_MS);
  const end = (): void => {
    if (ended) return;
    ended = true;
    clearInterval(timer);
    socket.close();
    wake.resolve();
  };
  const send = (frame: object): void => {
    if (!ended && socket.readyState === OPEN) socket.send(JSON.stringify(frame));
  };
  const take = (frame: ServerFrame): void => {
    silent = 0;
    if (frame.type === 'error' && frame.ref === undefined) lastProblem = new ToolexecProblem(frame.problem);
    if (frame.type === 'progress' && inbox.length >= WAITING.progress) return;
    inbox.push(frame);
    if (inbox.length >= WAITING.frames) end();
    wake.resolve();
  };

  socket.addEventListener('message', ({ data }) => {
    if (!ended) take(JSON.parse(String(data)) as ServerFrame);
  });
  socket.addEventListener('close', ({ code, reason }) => {
    if (!ended) refusal = refusalOf(code, reason, lastProblem);
    end();
  });
  socket.addEventListener('error', () => {
    // What matters is told by `close`.
  });

  async function* frames(): AsyncGenerator<ServerFrame> {
    for (;;) {
      yield* inbox.splice(0);
      if (inbox.length > 0) continue;
      if (ended) return;
      await wake.promise;
      wake = deferred();
    }
  }
  return { frames: frames(), send, close: end, refusal: () => refusal };
}

/** @throws TypeError where there is no WebSocket */
function openSocket({ url, key, WebSocket: Socket }: Transport, path: string): SocketLike {
  if (Socket === undefined)
    throw new TypeError('This runtime has no WebSocket: give one as the option WebSocket, such as that of the package ws.');
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
