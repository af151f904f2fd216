// One connection to one server, from the first message to its end. What the server does wrong ends it, with a reason; what
// then still waits for an answer fails with that.
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, type Implementation, type JSONRPCMessage, type Tool as ServerTool, type Transport } from '@modelcontextprotocol/client';
import { whenFired, type ServerProgram } from '../../contract/index.ts';
import { describeFailure } from './describe-failure.ts';
import { answerElicitation } from './elicitation.ts';
import { outputValidator } from './output-validator.ts';
import { HttpTransport } from './http-transport.ts';
import { keepListening } from './keep-listening.ts';
import { guardMessages } from './message-guard.ts';
import type { Fetch, McpLimits, SchemaJudge } from './ports.ts';
import { createRunningCalls, outsideOfCalls, type RunningCalls } from './running-calls.ts';
import { ProgramEnded, StdioTransport } from './stdio-transport.ts';
import { ToolListing } from './tool-listing.ts';

/** Share of the time to connect after which a silent program is taken for one that only knows the older handshake. */
const PROBE_SHARE = 0.4;
const LIST_DEBOUNCE_MS = 100;

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
  /** Makes what the server says of its tools fit to be shown, without its secrets. */
  readonly tidy: (text: string) => string;
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
  readonly #endListeners = new Set<(reason: string) => void>();
  readonly #listing: ToolListing;
  #stage: 'asking' | 'connected' | 'listed' = 'asking';
  #reason: string | undefined;
  /** What those are told who wait for the end, once it has come. */
  #ended: string | undefined;
  #programEnded = false;

  constructor(options: ConnectionOptions, handshake: 'any' | 'older') {
    this.#options = options;
    this.#handshake = handshake;
    this.#listing = new ToolListing({ ...options, signal: this.#over.signal });
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
    const settled = new AbortController();
    whenFired(signal, () => this.#break('The session has ended.'), settled.signal);
    whenFired(AbortSignal.timeout(connectMs), () => this.#break(`It did not answer within ${connectMs} ms.`), settled.signal);
    const connected = this.#connect().then(
      () => undefined,
      (error: unknown) => this.#reason ?? describeFailure(error),
    );
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    using _ = this.onEnd(resolve);
    const reason = await Promise.race([connected, ended]);
    settled.abort();
    if (reason === undefined) return this;
    await this.close();
    throw new Error(this.#options.redact(reason));
  }

  tools(): readonly ServerTool[] {
    return this.#listing.tools;
  }

  onTools(listener: () => void): Disposable {
    return this.#listing.onTools(listener);
  }

  onEnd(listener: (reason: string) => void): Disposable {
    if (this.#ended === undefined) this.#endListeners.add(listener);
    else listener(this.#ended);
    return { [Symbol.dispose]: () => void this.#endListeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.#reason ??= 'The connection was closed.';
    // What works on its tools stops at once.
    this.#over.abort();
    await this.#transport.close();
    this.#finish();
  }

  async #connect(): Promise<void> {
    const { connectMs: timeout, backOffMs, maxBackOffMs } = this.#options.limits;
    await this.client.connect(this.#transport, { timeout, ...(this.#handshake === 'older' && { prior: { kind: 'legacy' } }) });
    this.#stage = 'connected';
    await this.#listing.start(this.client);
    this.#stage = 'listed';
    void keepListening(this.client, { backOffMs, maxBackOffMs, signal: this.#over.signal, onGap: () => this.#listing.again(this.client) });
  }

  #createClient(): Client {
    const { clientInfo, limits, endpoint, redact } = this.#options;
    const probe = { timeoutMs: Math.ceil(limits.connectMs * (endpoint.type === 'stdio' ? PROBE_SHARE : 1)) };
    const client = new Client(clientInfo, {
      capabilities: {
        elicitation: { form: { applyDefaults: true }, url: {} },
        ...(endpoint.type === 'stdio' && { roots: {} }),
      },
      versionNegotiation: { mode: 'auto', probe },
      jsonSchemaValidator: outputValidator(this.#options.schemas),
      listChanged: { tools: { autoRefresh: false, debounceMs: LIST_DEBOUNCE_MS, onChanged: () => this.#listing.again(this.client) } },
    });
    client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(params, { calls: this.calls, redact }));
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
      pages: this.#listing.pages,
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
