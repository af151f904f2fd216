// Writes to one socket and knows when its client is too slow to be served.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { LogItem } from '../src/sessions/log-reader.ts';

/** Bytes that may wait in the socket before its reader has to. */
const BUFFERED_BYTES = 1_048_576;
/** Milliseconds a client may take to read what waits. */
const PATIENCE_MS = 30_000;

export class SocketWriter {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  #corked = false;

  /** @param wire the connection under the WebSocket */
  constructor(socket: WebSocket, wire: Socket) {
    this.#socket = socket;
    this.#wire = wire;
  }

  event(event: { type: string; [key: string]: unknown }): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(event));
  }

  /** Sends items as they come; ends with them, with the socket, or when the client does not read. */
  async pipe(batches: AsyncIterable<LogItem[]>): Promise<void> {
    for await (const items of batches) {
      for (const { json } of items) {
        if (this.#socket.readyState !== this.#socket.OPEN) return;
        if (this.#socket.bufferedAmount < BUFFERED_BYTES) this.#sendTogether(json);
        else if (!(await this.#sendSlowly(json))) return;
      }
    }
  }

  /** What is sent in one turn of the loop leaves in one packet. */
  #sendTogether(json: string): void {
    if (!this.#corked) {
      this.#corked = true;
      this.#wire.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#wire.uncork();
      });
    }
    this.#socket.send(json);
  }

  async #sendSlowly(json: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), PATIENCE_MS);
    this.#socket.send(json, (error) => resolve(error === undefined || error === null));
    const sent = await promise;
    clearTimeout(timer);
    if (!sent) this.#socket.close(4408, 'too slow a reader');
    return sent;
  }
}
