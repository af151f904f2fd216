// A node that is frozen takes connections and says nothing. So whoever waits for one looks now and then whether it still has
// the session.
import type { Place, Whereabouts } from './whereabouts.ts';

export interface Watching {
  readonly sessionId: string;
  readonly place: Place;
  readonly whereabouts: Whereabouts;
  /** How often to look, in milliseconds: several times while a lease lasts that is not renewed. */
  readonly lookMs: number;
  /** Grows with everything that comes from the node, and does not stay the same while it is not waited for. */
  readonly heard: () => number;
}

export interface PlaceWatch {
  /** Aborted when the node is silent and has the session no more. */
  readonly moved: AbortSignal;
  stop(): void;
}

/**
 * A node that has let go of the session but still talks is let finish: it may be sending what is left of a file.
 * Call `stop` when nothing is waited for any more.
 */
export function watchPlace({ sessionId, place, whereabouts, lookMs, heard }: Watching): PlaceWatch {
  const moved = new AbortController();
  let before = heard();
  const timer = setInterval(() => void look(), lookMs);
  return { moved: moved.signal, stop: () => clearInterval(timer) };

  async function look(): Promise<void> {
    const now = heard();
    const isSilent = now === before;
    before = now;
    if (!isSilent) return;
    try {
      const found = await whereabouts.find(sessionId, lookMs / 2);
      if (found?.node !== place.node && heard() === before) moved.abort();
    } catch {
      // Where it is cannot be told now, so it counts as where it was.
    }
  }
}
