// Every connected socket: counted by owner, kept alive by pings, and said goodbye to when the service drains.
import type { WebSocket } from 'ws';
import { OwnerCount } from './owner-count.ts';

const PING_EVERY_MS = 25_000;
/** How often it is looked whose ping is due. */
const LOOK_EVERY_MS = 500;
const LOOKS_A_PING = PING_EVERY_MS / LOOK_EVERY_MS;

interface Connected {
  /** It has answered the last ping. */
  alive: boolean;
  /** The look with which it is pinged next. */
  pingAt: number;
}

export class SocketRegistry {
  /** Those that are pinged next first. */
  readonly #sockets = new Map<WebSocket, Connected>();
  readonly #owned: OwnerCount;
  #looks = 0;
  readonly #pinger: NodeJS.Timeout;

  constructor(perOwner: number) {
    this.#owned = new OwnerCount(perOwner, 'sockets');
    this.#pinger = setInterval(() => this.#pingDue(), LOOK_EVERY_MS);
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
    const entry = { alive: true, pingAt: this.#looks + LOOKS_A_PING };
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

  /**
   * Each in its own time, as they have come: thousands of pings at once would hold up everybody. A socket that has not answered
   * the one before is gone: half-open connections do not stay.
   */
  #pingDue(): void {
    this.#looks += 1;
    for (const [socket, entry] of this.#sockets) {
      if (entry.pingAt > this.#looks) return;
      this.#sockets.delete(socket);
      if (!entry.alive) {
        socket.terminate();
        continue;
      }
      entry.alive = false;
      entry.pingAt = this.#looks + LOOKS_A_PING;
      this.#sockets.set(socket, entry);
      socket.ping();
    }
  }
}
