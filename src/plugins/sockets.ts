// Every connected socket: counted by owner, kept alive by pings, and said goodbye to when the service drains.
import type { WebSocket } from 'ws';
import { Problem } from '../contract/index.ts';

const PING_EVERY_MS = 25_000;

export class SocketRegistry {
  readonly #perOwner: number;
  readonly #sockets = new Map<WebSocket, { alive: boolean }>();
  readonly #owned = new Map<string, number>();
  readonly #pinger: NodeJS.Timeout;

  constructor(perOwner: number) {
    this.#perOwner = perOwner;
    this.#pinger = setInterval(() => this.#pingAll(), PING_EVERY_MS);
    this.#pinger.unref();
  }

  get size(): number {
    return this.#sockets.size;
  }

  /**
   * Counts and pings a socket from now on until it closes: call it before anything is waited for.
   * @throws Problem `too-many-requests` when the owner has as many sockets as it may
   */
  admit(owner: string, socket: WebSocket): void {
    if ((this.#owned.get(owner) ?? 0) >= this.#perOwner) {
      const detail = `At most ${this.#perOwner} sockets may be open with one key; close some first.`;
      throw new Problem('too-many-requests', detail, { retryAfterSeconds: 10 });
    }
    const entry = { alive: true };
    this.#sockets.set(socket, entry);
    this.#count(owner, 1);
    socket.on('pong', () => (entry.alive = true));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#count(owner, -1);
    });
  }

  closeAll(code: number, reason: string): void {
    clearInterval(this.#pinger);
    for (const socket of this.#sockets.keys()) socket.close(code, reason);
  }

  #count(owner: string, change: number): void {
    const count = (this.#owned.get(owner) ?? 0) + change;
    if (count > 0) this.#owned.set(owner, count);
    else this.#owned.delete(owner);
  }

  /** A socket that has not answered since the last ping is gone: half-open connections do not stay. */
  #pingAll(): void {
    for (const [socket, entry] of this.#sockets) {
      if (!entry.alive) {
        socket.terminate();
        continue;
      }
      entry.alive = false;
      socket.ping();
    }
  }
}
