// toolexec as an MCP server over Streamable HTTP. A request of the 2026 revision stands for itself; those of earlier
// revisions belong to connections.
import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import { settlesWithin } from '../../contract/index.ts';
import { McpConnections } from './connections.ts';
import { HeldCalls } from './held-calls.ts';
import type { Caller, ToolHosts } from './ports.ts';
import { allAnswered, createToolServer, type Serving } from './tool-server.ts';

/** Longer than questions to people wait by default, so that their own time runs out first. */
const HOLD_MS = 900_000;
const HELD_PER_OWNER = 1_000;
const LOOK_MS = 3_000;
/** Milliseconds for what has ended to be answered when the service stops: a call that waits for people may wait on. */
const FAREWELL_MS = 1_000;

export interface McpServiceOptions {
  readonly hosts: ToolHosts;
  /** What goes wrong in the service. */
  readonly report: (error: unknown) => void;
  /** What goes wrong with a client, such as requests that cannot be answered. */
  readonly note: (error: unknown) => void;
  readonly connectionsPerOwner: number;
  readonly idleMs: number;
  /** Milliseconds between two looks for other tools, for a client that listens; default 3,000. */
  readonly lookMs?: number;
}

export interface McpService {
  /** @throws Problem `too-many-requests` for a connection too many */
  assertRoom(caller: Caller): void;
  /** Answers one HTTP request. */
  answer(request: Request, caller: Caller): Promise<Response>;
  /** Ends every connection and stream; resolves when what was made for clients is let go of. */
  close(): Promise<void>;
}

export function createMcpService({ hosts, report, note, connectionsPerOwner, idleMs, lookMs = LOOK_MS }: McpServiceOptions): McpService {
  const callers = new WeakMap<Request, Caller>();
  const held = new HeldCalls({ holdMs: HOLD_MS, perOwner: HELD_PER_OWNER });
  const callerOf = (request: Request | undefined): Caller | undefined => request && callers.get(request);
  const working = new Set<Promise<unknown>>();
  const serving: Serving = { held, working, report, note, callerOf };
  const connections = new McpConnections(hosts, serving, { perOwner: connectionsPerOwner, idleMs, lookMs });
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = callerOf(requestInfo);
      if (caller === undefined) throw new TypeError('A request must come with its caller.');
      const { sessionId } = caller;
      return createToolServer(serving, {
        caller,
        connected: false,
        hostFor: (client) => (sessionId === null ? hosts.oneShots(client) : hosts.existing(client, sessionId)),
      }).server;
    },
    { legacy: 'reject', onerror: note },
  );

  return {
    assertRoom({ owner, body }) {
      if (isInitializeRequest(body)) connections.assertRoom(owner);
    },
    async answer(request, caller) {
      callers.set(request, caller);
      const { body } = caller;
      if (!(await isLegacyRequest(request, body))) return modern.fetch(request, { ...(body !== undefined && { parsedBody: body }) });
      if (request.method === 'POST' && isInitializeRequest(body)) return connections.begin(request, caller);
      return connections.serve(request.headers.get('mcp-session-id'), request, caller);
    },
    async close() {
      await settlesWithin(allAnswered(working), FAREWELL_MS);
      held.close();
      await modern.close();
      await connections.close();
    },
  };
}
