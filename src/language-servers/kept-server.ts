// A server of a session, running or not: it starts when it is asked, starts again at the next question after it has died,
// but not for ever, and ends when nobody has asked for long.
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, type LanguageAnswer, type LanguageQuestion, type Report } from '../contract/index.ts';
import type { LanguageServerLimits } from './ports.ts';
import type { RunningServer, ServerStart } from './running-server.ts';
import { within } from './within.ts';

export interface KeptServerOptions extends Omit<ServerStart, 'signal'> {
  readonly name: string;
  readonly report: Report;
}

const ENDED = new Error('It has ended with the session.');

export class KeptServer {
  readonly #options: KeptServerOptions;
  readonly #limits: LanguageServerLimits;
  readonly #closing = new AbortController();
  #running: RunningServer | undefined;
  #starting: Promise<RunningServer> | undefined;
  #stopping: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** When it failed lately, and why it did last. */
  #failures: number[] = [];
  #reason = '';
  #questions = 0;
  #lastAsked = 0;

  constructor(options: KeptServerOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  get isRunning(): boolean {
    return this.#running !== undefined || this.#starting !== undefined;
  }

  get isAsked(): boolean {
    return this.#questions > 0;
  }

  /** When the last question came, in milliseconds of a clock that only goes forward. */
  get lastAsked(): number {
    return this.#lastAsked;
  }

  /** @throws Error fit for a model */
  async ask(question: LanguageQuestion): Promise<LanguageAnswer> {
    const { name, settings, limits } = this.#options;
    this.#questions += 1;
    this.#lastAsked = performance.now();
    clearTimeout(this.#idle);
    try {
      const ms = settings.startup_ms + limits.backOffMs * 2 ** limits.failures + limits.stopMs;
      const server = await within(this.#started(), { signal: question.signal, ms, late: 'It is not ready: ask again later.' });
      return await server.ask(question);
    } catch (error) {
      if (question.signal.aborted) throw new Error('The question was stopped.', { cause: error });
      throw new Error(`The language server ${name} gives no answer. ${messageOf(error)}`, { cause: error });
    } finally {
      this.#questions -= 1;
      this.#startIdling();
    }
  }

  /** Ends it until the next question. Never throws. */
  async rest(): Promise<void> {
    clearTimeout(this.#idle);
    const server = this.#running;
    this.#running = undefined;
    if (server === undefined) return this.#stopping;
    this.#stopping = server.stop();
    await this.#stopping;
  }

  /** Resolves when nothing is left of it, also when it was just starting. Never throws. */
  async close(): Promise<void> {
    this.#closing.abort(ENDED);
    await this.#starting?.catch(() => {});
    await this.rest();
  }

  /** One start at a time, whoever waits for it. */
  #started(): Promise<RunningServer> {
    if (this.#running !== undefined) return Promise.resolve(this.#running);
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #start(): Promise<RunningServer> {
    const { signal } = this.#closing;
    await this.#stopping;
    await this.#backOff(signal);
    signal.throwIfAborted();
    try {
      // The protocol is loaded with it, when the first server starts.
      const { startServer } = await import('./running-server.ts');
      const server = await startServer({ ...this.#options, signal });
      this.#running = server;
      server.ended.addEventListener('abort', () => this.#lose(server), { once: true });
      return server;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
      throw error;
    }
  }

  async #backOff(signal: AbortSignal): Promise<void> {
    const { failures, failuresMs, backOffMs } = this.#limits;
    const since = performance.now() - failuresMs;
    this.#failures = this.#failures.filter((time) => time > since);
    const count = this.#failures.length;
    if (count >= failures) {
      throw new Error(`It failed ${count} times within ${failuresMs / 60_000} minutes, and is left alone for some time. ${this.#reason}`);
    }
    if (count === 0) return;
    await wait(backOffMs * 2 ** (count - 1), undefined, { signal }).catch(() => {
      // The session has ended meanwhile, which is told by whoever waits for this.
    });
  }

  #lose(server: RunningServer): void {
    if (this.#running !== server) return;
    this.#running = undefined;
    this.#fail(server.ended.reason);
  }

  #fail(error: unknown): void {
    const { name, report } = this.#options;
    this.#failures.push(performance.now());
    this.#reason = messageOf(error);
    report(`The language server ${name} failed: ${this.#reason}`, error);
  }

  #startIdling(): void {
    clearTimeout(this.#idle);
    if (this.#questions > 0 || this.#running === undefined) return;
    this.#idle = setTimeout(() => void this.rest(), this.#limits.idleMs);
  }
}
