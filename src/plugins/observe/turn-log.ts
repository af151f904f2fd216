// One log line a call: who decided about it and why, how it ended; and one a turn. Inputs and outputs are never in them.
import type { FastifyBaseLogger } from 'fastify';
import type { ObservedSession, Onlooker } from '../../sessions/session-parts.ts';
import type { TurnRecord } from '../../sessions/turn/turn-record.ts';

const MAX_TEXT = 200;
const MAX_PATHS = 20;

/** @param requestId of the request that is served now, if one is */
export function turnLog(logger: FastifyBaseLogger | undefined, requestId: () => string | undefined): Onlooker {
  /** By which request each turn was asked for. */
  const askedBy = new WeakMap<TurnRecord, string>();

  function about(record: TurnRecord, { id, owner }: ObservedSession) {
    const asked = askedBy.get(record);
    return { ...(asked !== undefined && { request_id: asked }), session_id: id, turn_id: record.id, key: owner };
  }

  return {
    turnQueued(record, { child }) {
      // An agent's turn is asked for by a call, whichever request the service is busy with.
      const asked = child === undefined ? requestId() : undefined;
      if (asked !== undefined) askedBy.set(record, asked);
    },
    turnStarted(record, session) {
      logger?.debug(about(record, session), 'turn started');
    },
    callEnded({ tool_use_id, name, outcome, duration_ms, queued_ms, coerced, decision }, record, session) {
      logger?.info(
        {
          ...about(record, session),
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
    turnEnded(record, session) {
      logger?.info(
        {
          ...about(record, session),
          status: record.status,
          duration_ms: (record.endedAt ?? Date.now()) - record.createdAt,
          calls: record.calls.size,
          batches: record.batches.length,
          ...(record.stop && { stop: record.stop.reason.slice(0, MAX_TEXT) }),
        },
        'turn ended',
      );
    },
    turnLeft(record, session) {
      logger?.info({ ...about(record, session), calls: record.calls.size }, 'turn left unfinished');
    },
  };
}
