// Every connected socket: counted by owner, kept alive by pings, and said goodbye to when the service drains.
import type { WebSocket } from 'ws';
import { Problem } from '../contract/index.ts';

const PING_EVERY_MS = 25_000;

export class SocketRegistry {
  readonly #perOwner: number;
  readonly #sockets = new Map<WebSocket, { readonly owner: string; alive: boolean }>();
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

  /** @throws Problem `too-many-requests` when the owner has as many sockets as it may */
  assertRoom(owner: string): void {
    if ((this.#owned.get(owner) ?? 0) < this.#perOwner) return;
    throw new Problem('too-many-requests', `At most ${this.#perOwner} sockets may be open with one key; close some first.`, {
      retryAfterSeconds: 10,
    });
  }

  /** @returns a function that takes the socket out again */
  add(owner: string, socket: WebSocket): () => void {
    const entry = { owner, alive: true };
    this.#sockets.set(socket, entry);
    socket.on('pong', () => (entry.alive = true));
    this.#count(owner, 1);
    return () => {
      if (this.#sockets.delete(socket)) this.#count(owner, -1);
    };
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
