import type { Lease, Leases } from '../contract/index.ts';

/** Leases where there is one node: granted to whoever asks first, and lost never. */
export function localLeases(node: string): Leases {
  const held = new Map<string, Lease>();
  /** Of all sessions together, which is as good as one a session. */
  let epoch = Date.now();

  return {
    async acquire(sessionId) {
      if (held.has(sessionId)) return null;
      const over = new AbortController();
      epoch += 1;
      const lease: Lease = {
        sessionId,
        epoch,
        lost: over.signal,
        isHeld: () => !over.signal.aborted,
        async release() {
          over.abort(new Error(`The lease of session ${sessionId} was released.`));
          if (held.get(sessionId) === lease) held.delete(sessionId);
        },
      };
      held.set(sessionId, lease);
      return lease;
    },
    async holder(sessionId) {
      return held.has(sessionId) ? node : null;
    },
    async close() {
      await Promise.all([...held.values()].map((lease) => lease.release()));
    },
  };
}
