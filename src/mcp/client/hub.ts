// Where all connections to MCP servers are held: each session opens its own view, and what may be shared is shared.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Implementation } from '@modelcontextprotocol/client';
import { isWithin, type OpenProgram, type RemoteTools, type Report } from '../../contract/index.ts';
import type { Connection, Endpoint } from './connection.ts';
import { DEFAULT_LIMITS, type Fetch, type McpLimits, type Origin, type SchemaJudge } from './ports.ts';
import { plainText } from './plain-text.ts';
import { withoutSecretsOf } from './secrets.ts';
import { ServerLink } from './server-link.ts';
import type { ServerSettings, StdioSettings } from './server-settings.ts';
import { createSessionTools, type SessionTools } from './session-tools.ts';
import { createSharedConnections } from './shared-connections.ts';

export interface McpHubOptions {
  /** The way to servers over HTTP, by who named them. */
  readonly fetchFor: (origin: Origin) => Fetch;
  readonly report: Report;
  readonly schemas: SchemaJudge;
  /** Breaks what could pass for the voice of another speaker, in what servers say of their tools. */
  readonly breakMarkers?: (text: string) => string;
  /** How the service calls itself. */
  readonly clientInfo: Implementation;
  readonly limits?: Partial<McpLimits>;
}

export interface NamedServer {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly origin: Origin;
}

export interface McpSession {
  /** Connections are shared between sessions of one owner alone. */
  readonly owner: string;
  readonly sessionId: string;
  /** Of the operator's and the session's servers with one name, the first counts. */
  readonly servers: readonly NamedServer[];
  /** Absolute real path. */
  readonly workspace: string;
  readonly openProgram: OpenProgram;
}

export class McpHub {
  readonly #options: McpHubOptions;
  readonly #limits: McpLimits;
  readonly #shared = createSharedConnections();
  readonly #sessions = new Set<SessionTools>();

  constructor(options: McpHubOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /** Nothing is started or connected before somebody asks for it. */
  open(session: McpSession): RemoteTools {
    const named = new Map(session.servers.toReversed().map((server) => [server.name, server]));
    const servers = [...named.values()].toReversed().map((server) => ({
      link: this.#link(server, session, () => tools.changed()),
      timeoutMs: server.settings.timeout_ms ?? this.#limits.callMs,
    }));
    const tools = createSessionTools({ servers, limits: this.#limits, onClose: () => this.#sessions.delete(tools) });
    this.#sessions.add(tools);
    return tools;
  }

  /** Ends all sessions' connections and programs. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((tools) => tools.close()));
  }

  #link(server: NamedServer, session: McpSession, onTools: () => void): ServerLink {
    const { name, settings } = server;
    const redact = withoutSecretsOf(settings);
    const tell = (what: string): void => this.#options.report(redact(`MCP server ${name} of session ${session.sessionId}: ${what}`));
    const { breakMarkers = (text) => text } = this.#options;
    // What is not seen could stand inside of a secret or a marker.
    const tidy = (text: string): string => breakMarkers(redact(plainText(text)));
    const limits = this.#limits;
    const connect = async (signal: AbortSignal): Promise<Connection> => {
      const key = keyOf(server, session);
      const shared = key === null ? undefined : this.#shared.take(key);
      if (shared !== undefined) return shared;
      const endpoint = endpointOf(server, session, this.#options.fetchFor);
      const { clientInfo, schemas } = this.#options;
      // The SDK is loaded with it, when the first server is asked for.
      const { openConnection } = await import('./connection.ts');
      const connection = await openConnection({ endpoint, clientInfo, limits, schemas, signal, tell, redact, tidy });
      if (key !== null) this.#shared.offer(key, connection);
      return connection;
    };
    return new ServerLink({ name, limits, connect, letGo: (connection) => this.#shared.letGo(connection), onTools, tell, redact });
  }
}

/** Equal for servers that are the same to whoever asks; a digest, since it is made of secrets. `null` for a program, which is one session's. */
function keyOf({ settings, origin }: NamedServer, { owner }: McpSession): string | null {
  if (settings.type !== 'http') return null;
  const parts = [owner, origin, settings.url, Object.entries(settings.headers)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function endpointOf({ settings, origin }: NamedServer, session: McpSession, fetchFor: McpHubOptions['fetchFor']): Endpoint {
  if (settings.type === 'http') return { type: 'http', url: settings.url, headers: settings.headers, fetch: fetchFor(origin) };
  const { workspace, openProgram } = session;
  return { type: 'stdio', workspace, open: () => openProgram(orderOf(settings, origin, workspace)) };
}

function orderOf({ command, args, env, cwd = '.', sandbox }: StdioSettings, origin: Origin, workspace: string) {
  const directory = resolve(workspace, cwd);
  if (origin === 'session' && !isWithin(workspace, directory)) {
    throw new Error(`Its cwd ${cwd} lies outside of the workspace: give a directory in it.`);
  }
  return { command, args, cwd: directory, env, sandbox: origin === 'session' || sandbox !== false };
}
