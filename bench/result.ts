// What came out of a contest: medians, their ratio, and whether it is good enough.
import type { Contest, Line, Pair, Unit } from './contest.ts';
import { median, spread } from './statistics.ts';

export interface LineResult extends Line {
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly rounds: number;
  /** Calls that were made before those that count. */
  readonly warmUpCalls: number;
  /** Lowest and highest ratio of a single round. */
  readonly ratios: { readonly low: number; readonly high: number };
  readonly cpuUs: number | null;
  readonly faults: number | null;
  /** Whether the target is met; `null` where there is none. */
  readonly met: boolean | null;
}

/** Something that was not measured, and why. */
export interface LeftOut {
  readonly names: readonly string[];
  readonly reason: string;
  /** True when it should have been possible. */
  readonly failed: boolean;
}

/** A size or the like that is told and not compared. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface Report {
  /** RFC 3339. */
  readonly date: string;
  readonly node: string;
  readonly cpus: number;
  readonly rounds: number;
  /** What a reader should know of the run, such as that the machine was busy. */
  readonly note?: string;
  readonly results: readonly LineResult[];
  readonly leftOut: readonly LeftOut[];
  readonly facts: readonly Fact[];
}

/** The ratio is that of the medians; single rounds only tell how far to trust it. */
export function summarise(line: Line, { calls, warmUps }: Contest, pairs: readonly Pair[]): LineResult {
  const ours = median(pairs.map((pair) => pair.ours));
  const theirs = median(pairs.map((pair) => pair.theirs));
  const cpu = pairs.flatMap(({ cpuUs }) => cpuUs ?? []);
  const faults = pairs.flatMap((pair) => pair.faults ?? []);
  const ratio = ours / theirs;
  const note = pairs.at(-1)?.note;
  return {
    ...line,
    name: note === undefined ? line.name : `${line.name}, ${note}`,
    ours,
    theirs,
    ratio,
    rounds: pairs.length,
    warmUpCalls: calls * warmUps,
    ratios: spread(pairs.map((pair) => pair.ours / pair.theirs)),
    cpuUs: cpu.length > 0 ? median(cpu) : null,
    faults: faults.length > 0 ? faults.reduce((sum, count) => sum + count, 0) : null,
    met: line.target === null ? null : isGood(ratio, line.target, line.unit),
  };
}

/** Of a rate more is better. */
export function moreIsBetter(unit: Unit): boolean {
  return unit === '/s';
}

function isGood(ratio: number, target: number, unit: Unit): boolean {
  return moreIsBetter(unit) ? ratio >= target : ratio <= target;
}
