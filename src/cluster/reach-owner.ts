// The way of a request to the node that works on its session:
//
//   here? ─ yes → served here
//     │ no
//   who has it? ─ another node → tried there ─ answered → done
//     │ nobody, or it does not answer
//     └─ a moment later, the same again: a lease that is not renewed ends, and then the session is taken over here
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../contract/index.ts';
import type { Place, Whereabouts } from './whereabouts.ts';

const RETRY_MS = 200;
/** How old the knowledge may be of where a session is, when a wrong one costs a request nothing. */
const KNOWN_MS = 1_000;

export interface Reaching {
  readonly sessionId: string;
  /** True when this node can serve, which takes the session where nobody has it. */
  readonly isHere: () => Promise<boolean>;
  /** Asks another node first: for what does not need the session to be open. */
  readonly asksFirst: boolean;
  /** Has another node serve it. @returns false when it may be tried again */
  readonly tryThere: (place: Place) => Promise<boolean>;
  /** True when it can be tried again after a node has refused it. */
  readonly isRepeatable: boolean;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * @param waitMs how long to wait for a session whose node does not answer: longer than a lease lasts
 * @returns a function that is true when another node has served, and false when it is to be served here; it throws Problem
 * `session-elsewhere`, `store-unavailable`
 */
export function reachOwner(whereabouts: Whereabouts, waitMs: number): (reaching: Reaching) => Promise<boolean> {
  return async ({ sessionId, isHere, asksFirst, tryThere, isRepeatable, signal }) => {
    const until = performance.now() + waitMs;
    const find = (maxAgeMs: number): Promise<Place | null> => whereabouts.find(sessionId, maxAgeMs);
    let place = asksFirst || whereabouts.knows(sessionId) ? await find(isRepeatable ? KNOWN_MS : 0) : null;
    for (;;) {
      if (place === null) {
        if (await isHere()) return false;
        place = await find(0);
      }
      if (place !== null && (await tryThere(place))) return true;
      if (signal.aborted || performance.now() > until) throw elsewhere(sessionId);
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {
        // Nobody waits any more: the next round ends it.
      });
      place = await find(RETRY_MS / 2);
    }
  };
}

/** What a request is answered that no node could serve. */
export function elsewhere(sessionId: string): Problem {
  const detail = `The node that works on session ${sessionId} does not answer: send the request again, for another node takes the session over.`;
  return new Problem('session-elsewhere', detail, { retryAfterSeconds: 1 });
}
