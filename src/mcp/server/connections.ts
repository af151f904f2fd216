// Clients of the 2025 revisions: each has a connection, named by `Mcp-Session-Id`, with a server and a session behind it,
// until the client ends it, its session is over, or nothing has come from it for long.
import { randomUUID } from 'node:crypto';
import type { Server } from '@modelcontextprotocol/server';
import { Problem } from '../../contract/index.ts';
import { errorResponse } from './error-response.ts';
import { OneAnswerTransport } from './one-answer-transport.ts';
import type { Caller, ToolHost, ToolHosts } from './ports.ts';
import { createToolServer, type Serving } from './tool-server.ts';

interface Connection {
  readonly id: string;
  readonly owner: string;
  readonly server: Server;
  readonly transport: OneAnswerTransport;
  readonly host: ToolHost;
  /** Requests that are being answered, streams among them. */
  readonly exchanges: Set<Caller>;
  /** The stream on which the client is told what it has not asked for, and the timer of the looks for that. */
  listening: { readonly stream: Caller; readonly timer: NodeJS.Timeout } | undefined;
  idle: NodeJS.Timeout | undefined;
}

export interface ConnectionLimits {
  readonly perOwner: number;
  /** Milliseconds without a request or an open stream after which a connection ends. */
  readonly idleMs: number;
  /** Milliseconds between two looks at the tools of a client that listens. */
  readonly lookMs: number;
}

export class McpConnections {
  readonly #open = new Map<string, Connection>();
  readonly #closing = new Set<Promise<void>>();
  readonly #hosts: ToolHosts;
  readonly #serving: Serving;
  readonly #limits: ConnectionLimits;

  constructor(hosts: ToolHosts, serving: Serving, limits: ConnectionLimits) {
    this.#hosts = hosts;
    this.#serving = serving;
    this.#limits = limits;
  }

  /** @throws Problem `too-many-requests` when the owner has as many connections as it may */
  assertRoom(owner: string): void {
    const count = [...this.#open.values()].filter((connection) => connection.owner === owner).length;
    if (count < this.#limits.perOwner) return;
    const detail = `At most ${this.#limits.perOwner} MCP connections may be open with one key; end some first.`;
    throw new Problem('too-many-requests', detail, { retryAfterSeconds: 10 });
  }

  /** Answers an `initialize` request with a new connection. */
  async begin(request: Request, caller: Caller): Promise<Response> {
    const id = randomUUID();
    const transport = new OneAnswerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void this.#open.set(id, connection),
    });
    const { server, host } = createToolServer(this.#serving, {
      caller,
      connected: true,
      hostFor: (client) => (caller.sessionId === null ? this.#hosts.own(client) : this.#hosts.existing(client, caller.sessionId)),
      listens: () => connection.listening !== undefined,
      onHostEnded: () => void transport.close(),
      endStream: (requestId) => transport.closeSSEStream(requestId),
    });
    const { owner } = caller;
    const exchanges = new Set<Caller>();
    const connection: Connection = { id, owner, server, transport, host, exchanges, listening: undefined, idle: undefined };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    server.onclose = () => this.#ended(connection);
    await server.connect(transport);
    const response = await this.#exchange(connection, request, caller);
    // What was not initialised has no name to be found by.
    if (!this.#open.has(id)) await transport.close();
    return response;
  }

  /** Answers a request of a connection, or says that there is none. */
  async serve(id: string | null, request: Request, caller: Caller): Promise<Response> {
    if (id === null)
      return errorResponse(400, {
        code: -32_000,
        message: 'Send an initialize request first, then each request with the Mcp-Session-Id of its reply.',
      });
    const connection = this.#open.get(id);
    if (connection?.owner !== caller.owner)
      return errorResponse(404, { code: -32_001, message: 'There is no MCP session of this id (any more): initialize a new one.' });
    return this.#exchange(connection, request, caller);
  }

  /** Ends all of them; resolves when their sessions are let go of. */
  async close(): Promise<void> {
    for (const { transport } of this.#open.values()) await transport.close();
    await Promise.all(this.#closing);
  }

  async #exchange(connection: Connection, request: Request, caller: Caller): Promise<Response> {
    const { transport, exchanges } = connection;
    const { body, closed } = caller;
    clearTimeout(connection.idle);
    exchanges.add(caller);
    void closed.then(() => this.#rest(connection, caller));
    const response = await transport.handleRequest(request, { ...(body !== undefined && { parsedBody: body }) });
    if (request.method === 'GET' && response.ok && exchanges.has(caller)) this.#listen(connection, caller);
    return response;
  }

  /** Tools may change while nobody asks for anything: nothing tells of that. */
  #listen(connection: Connection, stream: Caller): void {
    const { host } = connection;
    this.#unlisten(connection);
    connection.listening = { stream, timer: setInterval(() => host.look(), this.#limits.lookMs).unref() };
    host.look();
  }

  #unlisten(connection: Connection): void {
    clearInterval(connection.listening?.timer);
    connection.listening = undefined;
  }

  /** One request less is being answered; after the last one, time runs. */
  #rest(connection: Connection, caller: Caller): void {
    connection.exchanges.delete(caller);
    if (connection.listening?.stream === caller) this.#unlisten(connection);
    if (!this.#open.has(connection.id)) return;
    connection.host.look();
    if (connection.exchanges.size > 0) return;
    clearTimeout(connection.idle);
    connection.idle = setTimeout(() => void connection.transport.close(), this.#limits.idleMs);
    connection.idle.unref();
  }

  #ended(connection: Connection): void {
    const { id, host } = connection;
    clearTimeout(connection.idle);
    this.#unlisten(connection);
    this.#open.delete(id);
    const closing = host.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
