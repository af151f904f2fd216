import type { Config } from '../config.ts';
import type { SessionParts } from '../sessions/session-parts.ts';

/** What one session may take, as the operator has set it. */
export function sessionLimits({ limits, maxConcurrency }: Config): SessionParts['limits'] {
  return {
    maxConcurrency,
    graceMs: limits.grace_ms,
    bufferedEvents: 1_000,
    queuedTurns: limits.queued_turns,
    callsPerTurn: limits.calls_per_turn,
    sessionsPerOwner: limits.sessions_per_key,
    tasksPerSession: limits.tasks_per_session,
    reconnectMs: limits.reconnect_ms,
    log: { events: limits.log_events, turns: limits.log_turns },
  };
}
