// One connection to Redis that is kept up: when it breaks, or does not answer in time, what was asked for fails and another
// connection is made. Nothing waits for it meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from '@redis/client';
import { messageOf } from '../../contract/index.ts';
import { closedError } from '../outages.ts';
import { newClient, type Client } from './client.ts';
import { openError, redisUnavailable, storeError } from './errors.ts';
import type { Script } from './scripts.ts';

/** Milliseconds between attempts to connect: doubled from the first to the last, and up to half of that more, by chance. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [50, 2_000];

export interface LinkOptions {
  /** `redis[s]://user:password@host:port` */
  readonly url: string;
  /** Milliseconds in which Redis has to answer. */
  readonly timeoutMs: number;
  /** Told, in a sentence, of what a person should know. */
  readonly warn: (message: string) => void;
  /** Looks at a Redis that was just reached for the first time. @throws Error when it cannot be used */
  readonly check?: (client: Client) => Promise<void>;
  /** Told of each new connection. */
  readonly onConnect?: () => void;
}

export interface Link {
  /**
   * Asks Redis about one key, which the work is given.
   * @throws Problem `store-unavailable`, at once while Redis is away; ErrorReply
   */
  ask<T>(key: string, work: (client: Client, key: string) => Promise<T>): Promise<T>;
  /** True while there is no connection: whatever is asked for fails at once. */
  readonly away: boolean;
  /** Runs a script. @throws as `ask` */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** Ends the connection, once what was asked for before is answered. */
  close(): Promise<void>;
}

/** Connects to Redis. @throws Error that says what to change */
export async function openLink(options: LinkOptions): Promise<Link> {
  const link = new KeptLink(options);
  await link.open();
  return link;
}

class KeptLink implements Link {
  readonly #options: LinkOptions;
  readonly #place: string;
  readonly #stop = new AbortController();
  #client: Client | undefined;
  /** While there is no connection: ends when there is, or when the link is closed. */
  #connecting: Promise<void> | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#place = placeOf(options.url);
  }

  async open(): Promise<void> {
    try {
      const client = await this.#connect();
      await this.#options.check?.(client);
    } catch (error) {
      this.#stop.abort();
      this.#drop(this.#client);
      throw openError(this.#place, error);
    }
  }

  get away(): boolean {
    return this.#client === undefined;
  }

  ask<T>(key: string, work: (client: Client, key: string) => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) return Promise.reject(closedError());
    const client = this.#client;
    if (client === undefined) return Promise.reject(redisUnavailable('Redis cannot be reached'));
    return this.#inTime(client, (asked) => work(asked, key));
  }

  run({ sha, text }: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const given = [`${keys.length}`, ...keys, ...args.map(String)];
    return this.ask(keys[0] ?? '', async (client) => {
      try {
        return await client.sendCommand(['EVALSHA', sha, ...given]);
      } catch (error) {
        if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
        return client.sendCommand(['EVAL', text, ...given]);
      }
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#connecting;
    const client = this.#client;
    this.#client = undefined;
    if (client?.isOpen) await client.close().catch(() => client.destroy());
  }

  /** Ends the connection when the answer is late, which ends all that waits for it: it may never come. */
  async #inTime<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#options.warn(`Redis at ${this.#place} did not answer within ${this.#options.timeoutMs} ms: connecting anew.`);
      this.#drop(client);
    }, this.#options.timeoutMs);
    try {
      return await work(client);
    } catch (error) {
      throw storeError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #connect(): Promise<Client> {
    const { url, timeoutMs } = this.#options;
    const client = newClient(url, timeoutMs);
    // Told by what follows: `connect` rejects, or the connection is over.
    client.on('error', () => undefined);
    client.on('terminated', (cause: unknown) => this.#lose(client, cause));
    // Covers the greeting too, which a frozen Redis never answers.
    const timer = setTimeout(() => client.destroy(), timeoutMs);
    try {
      await client.connect();
    } finally {
      clearTimeout(timer);
    }
    if (this.#stop.signal.aborted) {
      client.destroy();
      throw closedError();
    }
    this.#client = client;
    this.#options.onConnect?.();
    return client;
  }

  #drop(client: Client | undefined): void {
    if (client === undefined) return;
    client.destroy();
    this.#lose(client);
  }

  #lose(client: Client, cause?: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (this.#stop.signal.aborted) return;
    if (cause !== undefined) this.#options.warn(`Redis at ${this.#place} is away (${messageOf(cause)}): connecting anew.`);
    this.#connecting = this.#connectAgain().finally(() => {
      this.#connecting = undefined;
    });
  }

  async #connectAgain(): Promise<void> {
    const { signal } = this.#stop;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LAST_PAUSE_MS)) {
      try {
        await sleep(pause * (1 + Math.random() / 2), undefined, { signal });
        await this.#connect();
        this.#options.warn(`Redis at ${this.#place} is back.`);
        return;
      } catch {
        // Still away, which was told when it went, or closed: the loop looks.
      }
    }
  }
}

/** Host and port of a URL, for messages: it may hold a password. */
export function placeOf(url: string): string {
  return URL.parse(url)?.host ?? 'the URL that was given';
}
