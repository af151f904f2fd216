// One connection a node listens for what other nodes announce. It only wakes: what has happened is read from the store. So after
// each time in which it could not listen, everybody who waits is woken.
import { ErrorReply } from '@redis/client';
import { messageOf, type WakeUps } from '../../contract/index.ts';
import { sessionKeys } from './keys.ts';
import { openLink, type Link, type LinkOptions } from './link.ts';

/** Channels of one command. */
const CHANNELS_AT_ONCE = 500;

/** Called with the text of an announcement; with `undefined` when some may have been missed. */
type Listener = (text: string | undefined) => void;

export interface Announcements extends WakeUps {
  /** Calls back for each announcement on a channel. @returns stops it */
  listen(channel: string, listener: Listener): () => void;
  close(): Promise<void>;
}

/** Opens the connection that listens. @throws Error that says what to change */
export async function openAnnouncements(options: Omit<LinkOptions, 'onConnect' | 'check'>): Promise<Announcements> {
  const channels = new Channels(options.warn);
  const link = await openLink({ ...options, onConnect: () => channels.startOver() });
  channels.follow(link);
  // A dead connection is silent like a quiet one: only an answer tells them apart. A late one makes the link connect anew.
  const pulse = setInterval(() => void link.ask((client) => client.ping()).catch(() => undefined), options.timeoutMs).unref();
  return {
    listen: (channel, listener) => channels.listen(channel, listener),
    watch: (sessionId, onChange) =>
      channels.listen(sessionKeys(sessionId).changed, (text) => onChange(text === undefined || text === '' ? undefined : Number(text))),
    async close() {
      clearInterval(pulse);
      await link.close();
    },
  };
}

/** Keeps what Redis sends in step with what is listened to: one change after another, so that no two of a channel meet. */
class Channels {
  readonly #listeners = new Map<string, Set<Listener>>();
  /** What the present connection has subscribed to. */
  #subscribed = new Set<string>();
  readonly #changed = new Set<string>();
  readonly #warn: (message: string) => void;
  #link: Link | undefined;
  #working = false;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  follow(link: Link): void {
    this.#link = link;
  }

  listen(channel: string, listener: Listener): () => void {
    // Of its own, so that one who listens twice is two.
    const own: Listener = (text) => listener(text);
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(own));
    if (this.#subscribed.has(channel)) queueMicrotask(() => own(undefined));
    else this.#change(channel);
    return () => {
      listeners.delete(own);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return;
      this.#listeners.delete(channel);
      this.#change(channel);
    };
  }

  /** A new connection has subscribed to nothing. */
  startOver(): void {
    this.#subscribed = new Set();
    for (const channel of this.#listeners.keys()) this.#change(channel);
  }

  #change(channel: string): void {
    this.#changed.add(channel);
    this.#work();
  }

  #work(): void {
    if (this.#working || this.#changed.size === 0) return;
    this.#working = true;
    // Later, so that what is asked for together is one command.
    setImmediate(() => void this.#catchUp());
  }

  async #catchUp(): Promise<void> {
    const before = this.#subscribed;
    try {
      while (this.#changed.size > 0) {
        const some = [...this.#changed].slice(0, CHANNELS_AT_ONCE);
        for (const channel of some) this.#changed.delete(channel);
        await this.#subscribe(some.filter((channel) => this.#listeners.has(channel) && !this.#subscribed.has(channel)));
        await this.#unsubscribe(some.filter((channel) => !this.#listeners.has(channel) && this.#subscribed.has(channel)));
      }
    } catch (error) {
      if (error instanceof ErrorReply) this.#warn(`Redis refuses to announce changes (${messageOf(error)}): allow its user all channels.`);
      // An outage: the next connection starts over, unless it has done so already.
      else if (this.#subscribed === before) this.#changed.clear();
    } finally {
      this.#working = false;
    }
    this.#work();
  }

  async #subscribe(channels: string[]): Promise<void> {
    if (channels.length === 0) return;
    const subscribed = this.#subscribed;
    await this.#link?.ask((client) => client.subscribe(channels, this.#hear));
    for (const channel of channels) {
      subscribed.add(channel);
      this.#ring(channel, undefined);
    }
  }

  async #unsubscribe(channels: string[]): Promise<void> {
    if (channels.length === 0) return;
    await this.#link?.ask((client) => client.unsubscribe(channels, this.#hear));
    for (const channel of channels) this.#subscribed.delete(channel);
  }

  readonly #hear = (text: string, channel: string): void => this.#ring(channel, text);

  #ring(channel: string, text: string | undefined): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(text);
  }
}
