// One log line a turn: what was called, how it ended, what had to be repaired. Inputs and outputs are never in it.
import type { FastifyBaseLogger } from 'fastify';
import type { SessionObserver } from '../sessions/session-parts.ts';

/** Calls named in one line; the rest is counted. */
const NAMED_CALLS = 50;

export function turnLog(logger: FastifyBaseLogger | undefined): SessionObserver {
  return {
    callEnded() {},
    turnEnded(record, sessionId) {
      const calls = [...record.calls.values()];
      logger?.info(
        {
          session_id: sessionId,
          turn_id: record.id,
          status: record.status,
          duration_ms: (record.endedAt ?? Date.now()) - record.createdAt,
          count: calls.length,
          calls: calls.slice(0, NAMED_CALLS).map(({ tool_use_id, name, outcome, duration_ms, coerced }) => ({
            tool_use_id: tool_use_id.slice(0, 100),
            name: name.slice(0, 100),
            outcome,
            duration_ms,
            ...(coerced !== undefined && { coerced: coerced.slice(0, 20) }),
          })),
        },
        'turn ended',
      );
    },
  };
}

/** Tells several observers. */
export function observers(...all: readonly SessionObserver[]): SessionObserver {
  return {
    callEnded: (call) => all.forEach((one) => one.callEnded(call)),
    turnEnded: (record, sessionId) => all.forEach((one) => one.turnEnded(record, sessionId)),
  };
}
