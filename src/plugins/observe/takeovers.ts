// Sessions whose open turns another process has left, and which go on here: another node of the cluster, or this one before it
// was started again.
import type { FastifyBaseLogger } from 'fastify';
import { Counter, type Registry } from '@prometheus-io/client';
import type { ObservedSession, Onlooker } from '../../sessions/session-parts.ts';

/** Counts each and writes a line about it. */
export function takeovers(registry: Registry, logger: FastifyBaseLogger | undefined): Onlooker {
  const total = new Counter({
    name: 'toolexec_takeovers_total',
    help: 'Sessions whose open turns another node, or this one before a restart, has left, and which go on here.',
    registers: [registry],
  });
  /** A session that was opened again may have several open turns. */
  const counted = new WeakSet<ObservedSession>();
  return {
    turnResumed({ id: turnId, createdAt }, session) {
      if (counted.has(session)) return;
      counted.add(session);
      total.inc();
      const about = { session_id: session.id, turn_id: turnId, key: session.owner, turn_age_ms: Date.now() - createdAt };
      logger?.warn(about, 'session taken over: its open turns go on here');
    },
  };
}
