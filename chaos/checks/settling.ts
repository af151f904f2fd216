// How long turns that a storm has hit take to their end, once it is over.
import type { Spread } from '../report.ts';

export interface Settling {
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  readonly endedAt: number;
  /** Milliseconds that its calls take by themselves. */
  readonly workMs: number;
}

/** @param storms when each was over, in milliseconds since 1970. @returns milliseconds beyond its own work, for each turn that was open then */
export function settlingTimes(turns: readonly Settling[], storms: readonly number[]): number[] {
  return storms.flatMap((over) =>
    turns
      .filter(({ beganAt, endedAt }) => beganAt < over && endedAt > over)
      .map(({ endedAt, workMs }) => Math.max(0, endedAt - over - workMs)),
  );
}

/** @param limit what most should stay within */
export function spreadOf(times: readonly number[], limit: number): Spread {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {
    count: sorted.length,
    median: at(0.5),
    p90: at(0.9),
    worst: sorted.at(-1) ?? 0,
    limit,
    within: sorted.filter((time) => time <= limit).length,
  };
}
