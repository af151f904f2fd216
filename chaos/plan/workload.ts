// What the clients of a session do, from the seed: turn by turn, so that a longer run only adds turns.
import { planCall, type CallKind, type PlannedCall } from './calls.ts';
import { randomOf, type Random } from './random.ts';

/** How a client runs a message: a POST that waits, one that does not, one that streams; a frame with a message, or with a call each. */
export const WAYS = ['post', 'async', 'sse', 'socket-message', 'socket-calls'] as const;
export type Way = (typeof WAYS)[number];

export interface PlannedTurn {
  /** Number in its session, from 0. */
  readonly index: number;
  readonly way: Way;
  readonly calls: readonly PlannedCall[];
  readonly interruption?: { readonly kind: 'abort' | 'discard' | 'cancel'; readonly afterMs: number; readonly callId: string };
  /** Milliseconds that its calls take by themselves, one after another. */
  readonly workMs: number;
}

export interface PlannedSession {
  /** Stands in all that the session's calls print, and in nothing of another session. */
  readonly tag: string;
  readonly index: number;
  /** Whether somebody reads all its events all the time. */
  readonly followed: boolean;
}

const WEIGHTS: Record<CallKind, number> = {
  once: 16,
  'once-long': 12,
  'once-fails': 5,
  'once-very-long': 1,
  asks: 5,
  read: 10,
  glob: 5,
  grep: 6,
  'bash-reads': 6,
  write: 12,
  edit: 12,
};
const CALLS = [1, 6] as const;
const INTERRUPTED = 0.12;

export function planSession(seed: number, index: number): PlannedSession {
  return { tag: `x${seed}s${index}`, index, followed: randomOf(seed, 'session', index).next() < 0.3 };
}

export function planTurn(seed: number, session: PlannedSession, index: number): PlannedTurn {
  const random = randomOf(seed, 'turn', session.index, index);
  const kinds = Array.from({ length: random.whole(...CALLS) }, () => random.weighted(WEIGHTS));
  const calls: PlannedCall[] = [];
  for (const kind of kinds)
    calls.push(...planCall({ kind, random, tag: session.tag, name: `${session.tag}t${index}c`, from: calls.length }));
  const way = random.pick(WAYS);
  const workMs = calls.reduce((sum, call) => sum + call.workMs, 0);
  const interruption = planInterruption(random, calls);
  return { index, way, calls, workMs, ...(interruption && { interruption }) };
}

function planInterruption(random: Random, calls: readonly PlannedCall[]): PlannedTurn['interruption'] {
  if (random.next() >= INTERRUPTED) return undefined;
  const kind = random.weighted({ abort: 6, cancel: 3, discard: 1 });
  return { kind, afterMs: random.whole(0, 1_500), callId: random.pick(calls).id };
}
