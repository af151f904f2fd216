// One WebSocket: its frames as they come, until it closes. A client that hears nothing for too long takes it for dead.
import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import type { WireEvent } from './reader.ts';

const PING_MS = 1_000;
const SILENCE_MS = 5_000;
const OPEN_MS = 5_000;

export interface Frames extends AsyncIterable<WireEvent> {
  /** Fires when it has closed. */
  readonly closed: AbortSignal;
  /** The code that it was closed with; 0 before. */
  readonly code: number;
  send(frame: object): void;
  /** Leaves without a word. */
  leave(): void;
}

/** @throws Error when it does not open, or the signal fires */
export async function openFrames(url: string, signal: AbortSignal): Promise<Frames> {
  const socket = new WebSocket(url, ['toolexec.v1'], { handshakeTimeout: OPEN_MS });
  const closed = new AbortController();
  let code = 0;
  let heardAt = performance.now();
  const messages = on(socket, 'message', { close: ['close'] });
  // What breaks is told by its end.
  socket.on('error', () => undefined);
  socket.on('message', () => (heardAt = performance.now()));
  const pulse = setInterval(() => {
    if (performance.now() - heardAt > SILENCE_MS) socket.terminate();
    else if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}');
  }, PING_MS);
  const end = (): void => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', (how) => {
    code = how;
    clearInterval(pulse);
    signal.removeEventListener('abort', end);
    closed.abort();
  });
  signal.throwIfAborted();
  await once(socket, 'open', { signal: AbortSignal.any([signal, closed.signal]) });
  return {
    closed: closed.signal,
    get code() {
      return code;
    },
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    },
    leave: end,
    async *[Symbol.asyncIterator]() {
      for await (const [data] of messages) yield JSON.parse(String(data)) as WireEvent;
    },
  };
}
