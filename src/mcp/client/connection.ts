// One connection to one server, from the first message to its end. What the server does wrong ends it, with a reason; what
// then still waits for an answer fails with that.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, type Implementation, type JSONRPCMessage, type Tool as ServerTool, type Transport } from '@modelcontextprotocol/client';
import { describeFailure } from './describe-failure.ts';
import { answerElicitation } from './elicitation.ts';
import { outputValidator } from './output-validator.ts';
import { HttpTransport } from './http-transport.ts';
import { keepListening } from './keep-listening.ts';
import { guardMessages } from './message-guard.ts';
import type { Fetch, McpLimits, ServerProgram, SchemaJudge } from './ports.ts';
import { createRunningCalls, outsideOfCalls, type RunningCalls } from './running-calls.ts';
import { ProgramEnded, StdioTransport } from './stdio-transport.ts';
import { checkTools } from './tool-list.ts';

/** Share of the time to connect after which a silent program is taken for one that only knows the older handshake. */
const PROBE_SHARE = 0.4;
const LIST_DEBOUNCE_MS = 100;
/** Faults of single tools that are told. */
const MAX_TOLD = 10;

export type Endpoint =
  | { readonly type: 'stdio'; readonly open: () => Promise<ServerProgram>; readonly workspace: string }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly fetch: Fetch };

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  readonly clientInfo: Implementation;
  readonly limits: McpLimits;
  readonly schemas: SchemaJudge;
  /** Ends it while it is being made. */
  readonly signal: AbortSignal;
  /** Gets sentences about the server. */
  readonly tell: (what: string) => void;
  /** Takes the server's secrets out of a text. */
  readonly redact: (text: string) => string;
}

export interface Connection {
  readonly client: Client;
  readonly calls: RunningCalls;
  /** True when the server may remember something: a program, or one that gave a session id. */
  readonly stateful: boolean;
  /** The tools of the server that can be used. */
  tools(): readonly ServerTool[];
  /** Calls `listener` whenever the server has other tools, until it is disposed of. */
  onTools(listener: () => void): Disposable;
  /** Calls `listener` with the reason when the connection ends, or at once when it has, until it is disposed of. */
  onEnd(listener: (reason: string) => void): Disposable;
  close(): Promise<void>;
}

/** Connects and lists the tools. @throws Error with the reason */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  return outsideOfCalls(async () => {
    const first = new OpenConnection(options, 'any');
    try {
      return await first.open();
    } catch (error) {
      // Some older programs end when they are asked something before the handshake.
      if (options.endpoint.type !== 'stdio' || !first.endedWhileAsked) throw error;
      return await new OpenConnection(options, 'older').open();
    }
  });
}

class OpenConnection implements Connection {
  readonly client: Client;
  readonly calls = createRunningCalls();
  readonly #options: ConnectionOptions;
  readonly #handshake: 'any' | 'older';
  readonly #transport: Transport;
  readonly #over = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #endListeners = new Set<(reason: string) => void>();
  #tools: readonly ServerTool[] = [];
  #stage: 'asking' | 'connected' | 'listed' = 'asking';
  #reason: string | undefined;
  /** What those are told who wait for the end, once it has come. */
  #ended: string | undefined;
  #programEnded = false;
  #listing: 'no' | 'yes' | 'again' = 'no';

  constructor(options: ConnectionOptions, handshake: 'any' | 'older') {
    this.#options = options;
    this.#handshake = handshake;
    this.client = this.#createClient();
    this.#transport = this.#createTransport();
  }

  get stateful(): boolean {
    return this.#options.endpoint.type === 'stdio' || this.#transport.sessionId !== undefined;
  }

  /** True when the server went before it had answered anything. */
  get endedWhileAsked(): boolean {
    return this.#programEnded && this.#stage === 'asking';
  }

  async open(): Promise<Connection> {
    const { signal, limits } = this.#options;
    const { connectMs } = limits;
    const stop = (): void => this.#break('The session has ended.');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(() => this.#break(`It did not answer within ${connectMs} ms.`), connectMs);
    const connected = this.#connect().then(
      () => undefined,
      (error: unknown) => this.#reason ?? describeFailure(error),
    );
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    using _ = this.onEnd(resolve);
    const reason = await Promise.race([connected, ended]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (reason === undefined) return this;
    await this.close();
    throw new Error(this.#options.redact(reason));
  }

  tools(): readonly ServerTool[] {
    return this.#tools;
  }

  onTools(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  onEnd(listener: (reason: string) => void): Disposable {
    if (this.#ended === undefined) this.#endListeners.add(listener);
    else listener(this.#ended);
    return { [Symbol.dispose]: () => void this.#endListeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.#reason ??= 'The connection was closed.';
    await this.#transport.close();
    this.#finish();
  }

  async #connect(): Promise<void> {
    const { connectMs: timeout, backOffMs, maxBackOffMs } = this.#options.limits;
    await this.client.connect(this.#transport, { timeout, ...(this.#handshake === 'older' && { prior: { kind: 'legacy' } }) });
    this.#stage = 'connected';
    await this.#list();
    this.#stage = 'listed';
    void keepListening(this.client, { backOffMs, maxBackOffMs, signal: this.#over.signal, onGap: () => this.#listAgain() });
  }

  async #list(): Promise<void> {
    if (this.client.getServerCapabilities()?.tools === undefined) return;
    const { limits, tell } = this.#options;
    const { tools: listed } = await this.client.listTools(undefined, { timeout: limits.connectMs, cacheMode: 'refresh' });
    const { tools, leftOut } = await checkTools(listed, { max: limits.tools, schemas: this.#options.schemas });
    for (const { name, reason } of leftOut.slice(0, MAX_TOLD)) tell(`Its tool ${name} is left out: ${reason}.`);
    if (leftOut.length > MAX_TOLD) tell(`${leftOut.length - MAX_TOLD} more of its tools are left out.`);
    this.#tools = tools;
  }

  /** One listing at a time: a server that changes meanwhile is asked once more. */
  #listAgain(): void {
    if (this.#listing !== 'no') this.#listing = 'again';
    else void this.#keepListing();
  }

  async #keepListing(): Promise<void> {
    do {
      this.#listing = 'yes';
      try {
        await this.#list();
        for (const listener of this.#listeners) listener();
      } catch (error) {
        if (!this.#over.signal.aborted) this.#options.tell(`Its tools could not be listed again: ${describeFailure(error)}`);
      }
      // What the listing was told meanwhile, the compiler does not see.
    } while ((this.#listing as string) === 'again');
    this.#listing = 'no';
  }

  #createClient(): Client {
    const { clientInfo, limits, endpoint } = this.#options;
    const probe = { timeoutMs: Math.ceil(limits.connectMs * (endpoint.type === 'stdio' ? PROBE_SHARE : 1)) };
    const client = new Client(clientInfo, {
      capabilities: {
        elicitation: { form: { applyDefaults: true }, url: {} },
        ...(endpoint.type === 'stdio' && { roots: {} }),
      },
      versionNegotiation: { mode: 'auto', probe },
      jsonSchemaValidator: outputValidator(this.#options.schemas),
      listChanged: { tools: { autoRefresh: false, debounceMs: LIST_DEBOUNCE_MS, onChanged: () => this.#listAgain() } },
    });
    client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(params, this.calls));
    if (endpoint.type === 'stdio') {
      const { workspace } = endpoint;
      client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }] }));
    }
    return client;
  }

  #createTransport(): Transport {
    const { endpoint, limits, tell } = this.#options;
    const { messageBytes } = limits;
    const transport =
      endpoint.type === 'http'
        ? new HttpTransport({ ...endpoint, messageBytes, onTooLong: (reason) => this.#break(reason) })
        : new StdioTransport({ ...endpoint, messageBytes, onStray: (line) => tell(`It prints what is no message: ${line}`) });
    const guard = guardMessages({
      onDropped: (name) => tell(`Its tool ${name} is left out: its definition is not one of a tool.`),
      onFlood: () => this.#break('It sends more messages than anybody can use.'),
    });
    // What stands here before the SDK takes over is called before what the SDK puts here.
    const handlers: Pick<Transport, 'onmessage' | 'onerror' | 'onclose'> = {
      onmessage: (message: JSONRPCMessage) => {
        if (transport instanceof HttpTransport) transport.received(message);
        guard(message);
      },
      onerror: (error) => this.#hear(error),
      // Until it is connected, the SDK closes it for a reason that it tells after that.
      onclose: () => this.#stage === 'listed' && this.#finish(),
    };
    Object.assign(transport, handlers);
    return transport;
  }

  #hear(error: Error): void {
    this.#programEnded ||= error instanceof ProgramEnded;
    if (this.#options.endpoint.type === 'stdio') this.#reason ??= error.message;
    else if (this.#stage !== 'asking' && isBrokenMessage(error)) this.#break('It sent a message that is no JSON-RPC.');
  }

  #break(reason: string): void {
    this.#reason ??= reason;
    this.#end(this.#reason);
    void this.close();
  }

  #finish(): void {
    this.#over.abort();
    this.#end(this.#reason ?? 'The connection was closed.');
  }

  /** Once: the first reason counts. */
  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = this.#options.redact(reason);
    const listeners = [...this.#endListeners];
    this.#endListeners.clear();
    for (const listener of listeners) listener(this.#ended);
  }
}

function isBrokenMessage(error: Error): boolean {
  return error instanceof SyntaxError || error.name.endsWith('ZodError');
}
