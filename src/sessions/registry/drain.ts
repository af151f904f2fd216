// The end of a service. Each session is released as soon as nothing of it runs, or only people could go on with it, and all
// that is left at the end of the grace; who opens it next goes on with what it was doing.
import { Problem, type Report } from '../../contract/index.ts';
import type { Session } from '../session.ts';

export interface Draining {
  /** Releases a session when it may be. Call it too for those that are opened from now on. */
  take(session: Session): void;
  /** Resolves when all that were taken are released. */
  ended(): Promise<void>;
}

export interface DrainOptions {
  /** Milliseconds that what runs has to end. */
  readonly graceMs: number;
  readonly release: (session: Session) => Promise<void>;
  readonly report: Report;
}

export function beginDrain({ graceMs, release, report }: DrainOptions): Draining {
  const releasing = new Set<Promise<void>>();
  const { promise: graceOver, resolve: endGrace } = Promise.withResolvers<void>();
  const timer = setTimeout(endGrace, graceMs);

  const releaseInTime = async (session: Session): Promise<void> => {
    try {
      await Promise.race([session.turns.rests(), graceOver]);
      await release(session);
    } catch (error) {
      report(`session ${session.id} could not be released`, error);
    }
  };

  return {
    take(session) {
      const released = releaseInTime(session).finally(() => releasing.delete(released));
      releasing.add(released);
    },
    async ended() {
      while (releasing.size > 0) await Promise.all(releasing);
      clearTimeout(timer);
    },
  };
}

/** What is told who wants something new. */
export function draining(): Problem {
  return new Problem('draining', 'The service is shutting down: try again, elsewhere or later.', { retryAfterSeconds: 5 });
}
