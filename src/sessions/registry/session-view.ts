// A session as the API shows it: one that is open, or its row in the store.
import type { SessionRow } from '../../contract/index.ts';
import { keptSession, type KeptSession } from '../kept-session.ts';
import { liveApprovals, liveTurns } from '../turn/live-call.ts';
import type { SandboxState } from '../session-parts.ts';
import type { Session } from '../session.ts';
import type { SessionSettings } from '../settings/session-options.ts';

interface Seen extends KeptSession {
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly status: 'idle' | 'running' | 'closed';
  readonly sandbox: SandboxState;
  readonly lastSeq: number;
}

export function sessionView(session: Session) {
  const { id, createdAt, expiresAt, closed, busy, parts, settings, log } = session;
  const status = closed ? ('closed' as const) : busy ? ('running' as const) : ('idle' as const);
  return view({ ...keptSession(session), id, createdAt, expiresAt, status, sandbox: parts.sandboxState(settings), lastSeq: log.lastSeq });
}

/** A session that is not open. */
export function storedView(
  { id, createdAt, expiresAt, document }: SessionRow,
  more: { sandbox: (settings: SessionSettings) => SandboxState; lastSeq: number },
) {
  const kept = JSON.parse(document) as KeptSession;
  return view({ ...kept, id, createdAt, expiresAt, status: 'idle', sandbox: more.sandbox(kept.settings), lastSeq: more.lastSeq });
}

function view(seen: Seen) {
  const { id, createdAt, updatedAt, expiresAt, status, workspace, ephemeral, settings, state, sandbox, toolsHash, lastSeq, child } = seen;
  const iso = (time: number): string => new Date(time).toISOString();
  const { permissions, execution, metadata } = settings;
  return {
    id,
    object: 'session' as const,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    expires_at: iso(expiresAt),
    status,
    workspace: { path: workspace, ephemeral },
    cwd: state.cwd,
    permissions: { ...permissions, mode: state.mode },
    execution,
    sandbox,
    tools: { hash: toolsHash },
    metadata,
    todos: state.todos.map((todo) => ({ ...todo })),
    last_seq: lastSeq,
    ...(child !== undefined && { parent: { session_id: child.sessionId, turn_id: child.turnId, tool_use_id: child.toolUseId } }),
  };
}

/** The first frame of a socket: enough to redraw after a reload. */
export function helloFrame(session: Session) {
  return {
    type: 'session' as const,
    protocol: 1 as const,
    session: sessionView(session),
    tools: { hash: session.toolsHash, count: session.toolbox.count },
    open_turns: liveTurns(session.turns.open.map(({ record }) => record)),
    approvals: liveApprovals(session.approvals.pending),
  };
}
