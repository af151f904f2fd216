import type { Decision, Effect, Intent } from '../../contract/index.ts';

/** A call that had begun when its turn was interrupted, as the log tells of it. */
export interface BegunCall {
  /** How often it has started. */
  readonly starts: number;
  readonly effect: Effect;
  /** As observers saw it when it started last. */
  readonly input: unknown;
  readonly decision: Decision;
  readonly intent?: Intent;
}

export const UNKNOWN = 'The service stopped while this call ran: it may or may not have taken effect. Look before you repeat it.';

/** What is to be said of a call while nobody knows what its interrupted attempt has done; `undefined` when that can have done nothing. */
export function doubtAbout(begun: BegunCall | undefined): string | undefined {
  return begun === undefined || begun.effect === 'read' ? undefined : UNKNOWN;
}
