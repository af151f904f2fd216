// Writes to one socket and knows when its client is too slow to be served. Whatever is written goes through the same
// bound: who sends more than its client reads waits, and in the end the socket is closed.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { LogItem } from '../src/sessions/log/log-reader.ts';
import { textFrames } from './text-frames.ts';

/** Bytes that may wait in the socket before its writer has to. */
const BUFFERED_BYTES = 1_048_576;
/** Characters after which one write takes no more texts. */
const TOGETHER_CHARS = 65_536;

export interface Wire {
  readonly socket: WebSocket;
  /** The connection under the WebSocket. */
  readonly connection: Socket;
  /** Milliseconds a client may take to read what waits. */
  readonly patienceMs: number;
}

export class SocketWriter {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Sends an event of this socket alone. @returns false when the client has gone or does not read */
  async send(event: { type: string; [key: string]: unknown }): Promise<boolean> {
    return this.#write([JSON.stringify(event)]);
  }

  /** Sends an event that is JSON already. @returns false when the client has gone or does not read */
  async sendText(json: string): Promise<boolean> {
    return this.#write([json]);
  }

  /** Sends items as they come, those that pass; ends with them, with the socket, or when the client does not read. */
  async pipe(batches: AsyncIterable<LogItem[]>, passes: (item: LogItem) => boolean): Promise<void> {
    for await (const items of batches) if (!(await this.sendItems(items.filter(passes)))) return;
  }

  /** @returns false when the client has gone or does not read */
  async sendItems(items: readonly LogItem[]): Promise<boolean> {
    for (let next = 0; next < items.length;) {
      const texts = together(items, next);
      const written = this.#write(texts);
      if (written !== true && !(await written)) return false;
      next += texts.length;
    }
    return true;
  }

  /** Answers a ping of the protocol; one that comes while the client does not read may go unanswered. */
  pong(data: Buffer): void {
    const { socket } = this.#wire;
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < BUFFERED_BYTES) socket.pong(data);
  }

  /** At once where there is room, so that a batch costs no promises. */
  #write(texts: readonly string[]): boolean | Promise<boolean> {
    const { socket, connection } = this.#wire;
    if (socket.readyState !== socket.OPEN) return false;
    const frames = textFrames(texts);
    if (socket.bufferedAmount >= BUFFERED_BYTES) return this.#writeSlowly(frames);
    connection.write(frames);
    return true;
  }

  async #writeSlowly(frames: Buffer): Promise<boolean> {
    const { socket, connection, patienceMs } = this.#wire;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), patienceMs);
    connection.write(frames, (error) => resolve(error === undefined || error === null));
    const sent = await promise;
    clearTimeout(timer);
    if (!sent) socket.close(4408, 'too slow a reader');
    return sent;
  }
}

/** The texts of as many items as go into one write, one at least. */
function together(items: readonly LogItem[], from: number): string[] {
  const texts: string[] = [];
  let chars = 0;
  for (let at = from; at < items.length && chars < TOGETHER_CHARS; at += 1) {
    const { json = '' } = items[at] ?? {};
    texts.push(json);
    chars += json.length;
  }
  return texts;
}
