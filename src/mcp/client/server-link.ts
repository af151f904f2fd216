// What one session has of one server, connected or not: it connects when somebody asks, comes back when the connection is
// lost, and lets a connection go that nobody has used for long. Its tools stay known meanwhile.
import { setTimeout as wait } from 'node:timers/promises';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { messageOf, untilAborted, type RemoteServer } from '../../contract/index.ts';
import { backOff } from './back-off.ts';
import type { Connection } from './connection.ts';
import type { McpLimits } from './ports.ts';

export interface LinkOptions {
  readonly name: string;
  readonly limits: McpLimits;
  /** @throws Error with the reason */
  readonly connect: (signal: AbortSignal) => Promise<Connection>;
  readonly letGo: (connection: Connection) => Promise<void>;
  /** The tools are others now. */
  readonly onTools: () => void;
  readonly tell: (what: string) => void;
  /** Takes the server's secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** A connection that is not closed for being idle while somebody holds it. */
export interface Lease extends Disposable {
  readonly connection: Connection;
  /** The server has answered: it works. */
  answered(): void;
}

const ENDED = 'The session has ended.';

export class ServerLink {
  readonly name: string;
  readonly redact: LinkOptions['redact'];
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #watch: Disposable | undefined;
  #tools: readonly ServerTool[] | undefined;
  #connecting: Promise<void> | undefined;
  #reason: string | undefined;
  /** In a row. */
  #failures = 0;
  #losses = 0;
  #notBefore = 0;
  #leases = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: LinkOptions) {
    this.name = options.name;
    this.redact = options.redact;
    this.#options = options;
  }

  get status(): RemoteServer {
    const { name } = this;
    if (this.#connecting !== undefined) return { name, state: 'connecting' };
    if (this.#reason !== undefined) return { name, state: 'failed', reason: this.#reason };
    return { name, state: this.#tools === undefined ? 'idle' : 'ready' };
  }

  /** True while a connection is open whose server may remember something. */
  get busy(): boolean {
    return this.#connection?.stateful === true;
  }

  /** None before the first connection, and none after it could not be made again. */
  tools(): readonly ServerTool[] {
    return this.#tools ?? [];
  }

  /** Resolves when it is ready or has failed, or `signal` fires. One that has failed lately is not tried again yet. Never throws. */
  async connect(signal: AbortSignal): Promise<void> {
    // A connection that was let go for being idle is made again by the next call, not by a look at the tools.
    if (this.#tools !== undefined && this.#connecting === undefined) return;
    await untilAborted(this.#open(), signal);
  }

  /** @throws Error with the reason why there is no connection */
  async lease(signal: AbortSignal): Promise<Lease> {
    if (this.#connection === undefined) await untilAborted(this.#open(), signal);
    const connection = this.#connection;
    if (connection === undefined) throw new Error(this.#reason ?? 'The call was stopped before the server was connected.');
    this.#leases += 1;
    clearTimeout(this.#idle);
    return {
      connection,
      answered: () => {
        this.#losses = 0;
      },
      [Symbol.dispose]: () => {
        this.#leases -= 1;
        this.#startIdling();
      },
    };
  }

  /** The server does not know this connection any more: the next lease is of a new one. */
  drop(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#forget();
    void this.#options.letGo(connection);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connecting;
    const connection = this.#connection;
    this.#forget();
    this.#reason = ENDED;
    if (connection !== undefined) await this.#options.letGo(connection);
  }

  /** One attempt at a time, whoever waits for it. */
  #open(): Promise<void> {
    if (this.#closing.signal.aborted || this.#connection !== undefined) return Promise.resolve();
    if (this.#connecting === undefined && performance.now() < this.#notBefore) return Promise.resolve();
    this.#connecting ??= this.#attempt()
      .then((reason) => this.#conclude(reason))
      .finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** @returns why there is no connection */
  async #attempt(): Promise<string | undefined> {
    const { signal } = this.#closing;
    try {
      const connection = await this.#options.connect(signal);
      if (signal.aborted) {
        await this.#options.letGo(connection);
        return ENDED;
      }
      this.#failures = 0;
      this.#reason = undefined;
      this.#use(connection);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  #use(connection: Connection): void {
    this.#connection = connection;
    this.#setTools(connection.tools());
    this.#startIdling();
    // Others may use it for longer than this session does: nothing of the session stays with it.
    const watch = new DisposableStack();
    this.#watch = watch;
    watch.use(connection.onTools(() => this.#setTools(connection.tools())));
    watch.use(connection.onEnd((reason) => this.#lose(connection, reason)));
  }

  /** Comes back by itself, but not for ever to a server that goes again before it has answered anything. */
  #lose(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    this.#forget();
    void this.#options.letGo(connection);
    this.#losses += 1;
    if (this.#losses > this.#options.limits.reconnects) this.#fail(reason);
    else this.#connecting ??= this.#comeBack(reason).finally(() => (this.#connecting = undefined));
  }

  async #comeBack(reason: string): Promise<void> {
    const { limits, tell } = this.#options;
    const { signal } = this.#closing;
    tell(`Its connection was lost: ${reason}`);
    let failure: string | undefined = reason;
    for (let tries = 1; tries <= limits.reconnects; tries += 1) {
      await wait(backOff(Math.max(tries, this.#losses), limits), undefined, { signal }).catch(() => {
        // The session has ended meanwhile.
      });
      if (signal.aborted) return;
      failure = await this.#attempt();
      if (failure === undefined) return;
    }
    this.#conclude(failure);
  }

  #conclude(failure: string | undefined): void {
    if (failure !== undefined && !this.#closing.signal.aborted) this.#fail(failure);
  }

  #fail(reason: string): void {
    const { limits, tell } = this.#options;
    this.#failures += 1;
    this.#notBefore = performance.now() + backOff(this.#failures, limits);
    this.#reason = reason;
    this.#losses = 0;
    tell(`It is not connected: ${reason}`);
    this.#setTools(undefined);
  }

  #setTools(tools: readonly ServerTool[] | undefined): void {
    if (this.#tools === tools) return;
    this.#tools = tools;
    this.#options.onTools();
  }

  #forget(): void {
    clearTimeout(this.#idle);
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#connection = undefined;
  }

  #startIdling(): void {
    const connection = this.#connection;
    if (connection === undefined || this.#leases > 0) return;
    const { idleMs, statefulIdleMs } = this.#options.limits;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.drop(connection), connection.stateful ? statefulIdleMs : idleMs);
  }
}
