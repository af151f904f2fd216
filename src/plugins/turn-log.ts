// One log line a call: who decided about it and why, how it ended; and one a turn. Inputs and outputs are never in them.
import type { FastifyBaseLogger } from 'fastify';
import type { SessionObserver } from '../sessions/session-parts.ts';

const MAX_TEXT = 200;
const MAX_PATHS = 20;

export function turnLog(logger: FastifyBaseLogger | undefined): SessionObserver {
  return {
    callEnded({ tool_use_id, name, outcome, duration_ms, queued_ms, coerced, decision }, { sessionId, turnId, owner }) {
      logger?.info(
        {
          session_id: sessionId,
          turn_id: turnId,
          key: owner,
          tool_use_id: tool_use_id.slice(0, MAX_TEXT),
          name: name.slice(0, MAX_TEXT),
          outcome,
          duration_ms,
          queued_ms,
          ...(decision && {
            decision: { behavior: decision.behavior, decided_by: decision.decided_by, rule: decision.rule?.slice(0, MAX_TEXT) },
          }),
          ...(coerced && { coerced: coerced.slice(0, MAX_PATHS) }),
        },
        'call ended',
      );
    },
    turnEnded(record, sessionId) {
      logger?.info(
        {
          session_id: sessionId,
          turn_id: record.id,
          status: record.status,
          duration_ms: (record.endedAt ?? Date.now()) - record.createdAt,
          calls: record.calls.size,
          batches: record.batches.length,
          ...(record.stop && { stop: record.stop.reason.slice(0, MAX_TEXT) }),
        },
        'turn ended',
      );
    },
  };
}

/** Tells several observers. */
export function observers(...all: readonly SessionObserver[]): SessionObserver {
  return {
    callEnded: (call, place) => all.forEach((one) => one.callEnded(call, place)),
    turnEnded: (record, sessionId) => all.forEach((one) => one.turnEnded(record, sessionId)),
  };
}
