// The tools of one connection: listed once it is made, and again whenever the server says that they have changed.
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, Tool as ServerTool } from '@modelcontextprotocol/client';
import { describeFailure } from './describe-failure.ts';
import { createListedPages, type ListedPages } from './listed-pages.ts';
import type { McpLimits } from './ports.ts';
import { checkTools, type LeftOut, type ToolCheck } from './tool-list.ts';

/** Milliseconds between two listings at the least, and how often the time that checking one took. */
const PAUSE_MS = 1_000;
const PAUSE_TIMES = 9;
/** Faults of single tools that are told, and characters of each. */
const MAX_TOLD = 10;
const MAX_NAME = 100;
const MAX_REASON = 500;

export interface ToolListingOptions extends Pick<ToolCheck, 'schemas' | 'tidy'> {
  readonly limits: McpLimits;
  /** Fires when the connection has ended: no work goes on. */
  readonly signal: AbortSignal;
  /** Gets sentences about the server. */
  readonly tell: (what: string) => void;
}

export class ToolListing {
  /** Is to see each page before the client does. */
  readonly pages: ListedPages;
  readonly #options: ToolListingOptions;
  readonly #listeners = new Set<() => void>();
  #tools: readonly ServerTool[] = [];
  #state: 'idle' | 'listing' | 'changed' = 'idle';

  constructor(options: ToolListingOptions) {
    this.#options = options;
    this.pages = createListedPages({
      limits: options.limits,
      onDropped: (names) => this.#tell(names.map((name) => ({ name, reason: 'its definition is not one of a tool' }))),
    });
  }

  /** Those that can be used. */
  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  /** Calls `listener` whenever there are others, until it is disposed of. */
  onTools(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The first listing. @throws Error when the server does not list them, and when the connection ends */
  async start(client: Client): Promise<void> {
    this.#state = 'listing';
    await this.#list(client);
    if (this.#changed) void this.#keepListing(client);
    else this.#state = 'idle';
  }

  /** One listing at a time: a server that changes meanwhile is asked once more. */
  again(client: Client): void {
    if (this.#state === 'idle') void this.#keepListing(client);
    else this.#state = 'changed';
  }

  get #changed(): boolean {
    return this.#state === 'changed';
  }

  /** Never throws. */
  async #keepListing(client: Client): Promise<void> {
    const { signal, tell } = this.#options;
    do {
      this.#state = 'listing';
      let workMs = 0;
      try {
        workMs = await this.#list(client);
        for (const listener of this.#listeners) listener();
      } catch (error) {
        if (!signal.aborted) tell(`Its tools could not be listed again: ${describeFailure(error)}`);
      }
      // A server that changes all the time does not keep us busy all the time.
      await wait(Math.max(PAUSE_MS, PAUSE_TIMES * workMs), undefined, { signal, ref: false }).catch(() => {
        // The connection has ended meanwhile.
      });
    } while (this.#changed && !signal.aborted);
    this.#state = 'idle';
  }

  /** @returns milliseconds of work that it took */
  async #list(client: Client): Promise<number> {
    if (client.getServerCapabilities()?.tools === undefined) return 0;
    const { limits, signal, tell, schemas, tidy } = this.#options;
    const { connectMs: timeout, checkMs } = limits;
    this.pages.begin();
    // The time is for all pages together.
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
    const { tools: listed } = await client.listTools(undefined, { signal: inTime, timeout, cacheMode: 'refresh' });
    const { cutShort: notListed } = this.pages;
    const { tools, leftOut, cutShort, workMs } = await checkTools(listed, { checkMs, schemas, tidy, signal });
    this.#tell(leftOut);
    for (const reason of [notListed, cutShort]) if (reason !== undefined) tell(`Its further tools are left out: ${reason}.`);
    this.#tools = tools;
    return workMs;
  }

  #tell(leftOut: readonly LeftOut[]): void {
    const { tell } = this.#options;
    for (const { name, reason } of leftOut.slice(0, MAX_TOLD))
      tell(`Its tool ${name.slice(0, MAX_NAME)} is left out: ${reason.slice(0, MAX_REASON)}.`);
    if (leftOut.length > MAX_TOLD) tell(`${leftOut.length - MAX_TOLD} more of its tools are left out.`);
  }
}
