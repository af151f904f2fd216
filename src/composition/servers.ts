// MCP servers as sessions use them: the operator's for all, the session's own behind the sandbox and the guarded way out.
import { Problem, releaseVersion, type RemoteTools, type Report } from '../contract/index.ts';
import { breakMarkers } from '../engine/sanitize/sanitize-markers.ts';
import { McpHub, type NamedServer } from '../mcp/client/hub.ts';
import type { Fetch } from '../mcp/client/ports.ts';
import type { SandboxState, SessionAbout } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/settings/session-options.ts';
import type { HeldBy } from './commands.ts';
import type { Network } from './network.ts';
import { SCHEMA_JUDGE } from './schema-judge.ts';
import { startProgram } from './start-program.ts';

export interface ServersOptions {
  /** Those of every session. */
  readonly operator: readonly NamedServer[];
  readonly sandboxState: (settings: SessionSettings) => SandboxState;
  readonly sandboxFor: (settings: SessionSettings, session: SessionAbout) => HeldBy;
  readonly guardedFetch: Network['guardedFetch'];
  readonly report: Report;
}

export interface Servers {
  /** @throws Problem `forbidden` for programs of a session that nothing would hold */
  readonly check: (settings: SessionSettings) => void;
  /** What the servers give one session, the same for as long as the session is open. */
  readonly remoteFor: (settings: SessionSettings, session: SessionAbout) => RemoteTools;
  readonly close: () => Promise<void>;
}

export function joinServers({ operator, sandboxState, sandboxFor, guardedFetch, report }: ServersOptions): Servers {
  const hub = new McpHub({
    fetchFor: (origin) => (origin === 'operator' ? fetch : standardFetch(guardedFetch)),
    report,
    schemas: SCHEMA_JUDGE,
    breakMarkers,
    clientInfo: { name: 'toolexec', version: releaseVersion() },
  });
  const opened = new WeakMap<SessionAbout, RemoteTools>();
  return {
    check(settings) {
      const state = sandboxState(settings);
      const programs = Object.entries(settings.mcp_servers).filter(([, { type }]) => type === 'stdio');
      const [first] = programs;
      if (state.mode !== 'off' || first === undefined) return;
      throw new Problem('forbidden', `A session's MCP servers of type stdio run in the sandbox, and there is none: ${state.reason}`, {
        issues: [{ path: `mcp_servers.${first[0]}`, message: 'is of type stdio' }],
      });
    },
    remoteFor(settings, session) {
      const known = opened.get(session);
      if (known !== undefined) return known;
      const own = Object.entries(settings.mcp_servers).map(([name, server]): NamedServer => ({
        name,
        settings: server,
        origin: 'session',
      }));
      const { id: sessionId, owner, place } = session;
      const remote = hub.open({
        owner,
        sessionId,
        workspace: place.workspace,
        servers: [...operator, ...own],
        openProgram: (order) => startProgram(order, session, sandboxFor(settings, session)),
      });
      opened.set(session, remote);
      return remote;
    },
    close: () => hub.close(),
  };
}

/** The guarded way out in the words of the standard. Redirects are told, not followed. */
function standardFetch(guarded: Network['guardedFetch']): Fetch {
  return async (url, init = {}) => {
    const { method = 'GET', headers, body, signal } = init;
    const answer = await guarded(String(url), {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { body }),
      signal: signal ?? new AbortController().signal,
      redirect: 'manual',
    });
    const empty = answer.body === null || [204, 205, 304].includes(answer.status);
    return new Response(empty ? null : ReadableStream.from(answer.body), { status: answer.status, headers: answer.headers });
  };
}
