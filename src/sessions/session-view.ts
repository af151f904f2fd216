// A session as the API shows it.
import { liveApprovals, liveTurns } from './live-call.ts';
import type { Session } from './session.ts';

export function sessionView(session: Session) {
  const iso = (time: number): string => new Date(time).toISOString();
  const { permissions, execution, metadata } = session.settings;
  return {
    id: session.id,
    object: 'session' as const,
    created_at: iso(session.createdAt),
    updated_at: iso(session.updatedAt),
    expires_at: iso(session.expiresAt),
    status: session.closed ? ('closed' as const) : session.busy ? ('running' as const) : ('idle' as const),
    workspace: { path: session.place.workspace, ephemeral: session.place.ephemeral },
    cwd: session.state.cwd,
    permissions: { ...permissions, mode: session.state.mode },
    execution,
    sandbox: session.parts.sandboxState(session.settings),
    tools: { hash: session.toolsHash },
    metadata,
    todos: session.state.todos.map((todo) => ({ ...todo })),
    last_seq: session.log.lastSeq,
  };
}

/** The first frame of a socket: enough to redraw after a reload. */
export function helloFrame(session: Session) {
  return {
    type: 'session' as const,
    protocol: 1 as const,
    session: sessionView(session),
    tools: { hash: session.toolsHash, count: session.pool.count },
    open_turns: liveTurns(session.openTurns.map(({ record }) => record)),
    approvals: liveApprovals(session.approvals.pending),
  };
}
