// How a call stands and how it ended. Both unions are closed: a new member is a change of the wire contract.

/** States of a call, forward only. */
export const CALL_STATES = ['queued', 'executing', 'completed', 'yielded'] as const;
export type CallState = (typeof CALL_STATES)[number];

/** The one way a call ended, decided once. */
export const OUTCOMES = [
  'ok',
  'tool_error',
  'invalid_input',
  'unknown_tool',
  'denied',
  'cancelled_sibling',
  'aborted',
  'timed_out',
  'discarded',
  'outcome_unknown',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How a client settles a call whose outcome is unknown. */
export const RESOLUTIONS = ['retry', 'ok', 'error'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const TURN_STATUSES = ['queued', 'running', 'requires_action', 'completed', 'aborted', 'discarded'] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

/**
 * What a call does to the world, which decides what may happen to it after a crash: `read` runs again, `idempotent` runs
 * again unless its tool finds it done, `probe` runs again only when its tool finds it not done, `once` never runs twice.
 */
export const EFFECTS = ['read', 'idempotent', 'probe', 'once'] as const;
export type Effect = (typeof EFFECTS)[number];
