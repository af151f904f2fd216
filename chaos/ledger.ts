// What happened in a run: counts of what was done, and what must not happen.

export interface Violation {
  /** Where: a session, a node, the run. */
  readonly where: string;
  readonly what: string;
  readonly more?: string;
  /** Milliseconds since the run began. */
  readonly atMs: number;
}

export interface Ledger {
  readonly counts: ReadonlyMap<string, number>;
  /** The first of them. */
  readonly violations: readonly Violation[];
  /** All of them. */
  readonly violated: number;
  count(what: string, by?: number): void;
  violate(where: string, what: string, more?: string): void;
}

const KEPT = 200;
const MORE_CHARS = 1_500;

/** @param tell hears of each violation when it is found */
export function createLedger(tell: (violation: Violation) => void): Ledger {
  const counts = new Map<string, number>();
  const violations: Violation[] = [];
  const beganAt = performance.now();
  let violated = 0;
  return {
    counts,
    violations,
    get violated() {
      return violated;
    },
    count: (what, by = 1) => void counts.set(what, (counts.get(what) ?? 0) + by),
    violate(where, what, more) {
      violated += 1;
      if (violations.length >= KEPT) return;
      const atMs = Math.round(performance.now() - beganAt);
      const violation = { where, what: what.slice(0, MORE_CHARS), atMs, ...(more !== undefined && { more: more.slice(0, MORE_CHARS) }) };
      violations.push(violation);
      tell(violation);
    },
  };
}
