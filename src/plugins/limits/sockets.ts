// Every connected socket: counted by owner, kept alive by pings, and said goodbye to when the service drains.
import type { WebSocket } from 'ws';
import { OwnerCount } from './owner-count.ts';

const PING_EVERY_MS = 25_000;

export class SocketRegistry {
  readonly #sockets = new Map<WebSocket, { alive: boolean }>();
  readonly #owned: OwnerCount;
  readonly #pinger: NodeJS.Timeout;

  constructor(perOwner: number) {
    this.#owned = new OwnerCount(perOwner, 'sockets');
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
    this.#owned.assertRoom(owner);
    const entry = { alive: true };
    this.#sockets.set(socket, entry);
    const leave = this.#owned.add(owner);
    socket.on('pong', () => (entry.alive = true));
    socket.once('close', () => {
      this.#sockets.delete(socket);
      leave();
    });
  }

  closeAll(code: number, reason: string): void {
    clearInterval(this.#pinger);
    for (const socket of this.#sockets.keys()) socket.close(code, reason);
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
