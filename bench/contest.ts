// What a benchmark measures: the service and something to compare it with, in the same round, in changing order.
import { median, spread } from './statistics.ts';

/** One line of the table. */
export interface Line {
  /** Number of the target that the line measures. */
  readonly row: string;
  readonly name: string;
  readonly against: string;
  readonly unit: 'µs' | 'ms' | 'MB';
  /** Highest ratio that is good enough; `null` where nothing is promised. */
  readonly target: number | null;
}

export interface Pair {
  readonly ours: number;
  readonly theirs: number;
  /** Processor time of our server a call, in microseconds. */
  readonly cpuUs?: number;
  /** Broken promises that were seen on the way, such as a result out of order. */
  readonly faults?: number;
}

export interface Contest {
  readonly lines: readonly Line[];
  /** Calls that `measure` makes of our side. */
  readonly calls: number;
  /** How often `measure` runs before its numbers count. The first thousands of calls run code that is not optimised yet. */
  readonly warmUps: number;
  /** One pair a line. @param oursFirst who is measured first, so that neither always has the warm machine */
  measure(oursFirst: boolean): Promise<readonly Pair[]>;
  close(): Promise<void>;
}

export interface LineResult extends Line {
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  /** Calls that were made before those that count. */
  readonly warmUpCalls: number;
  /** Lowest and highest ratio of a single round. */
  readonly ratios: { readonly low: number; readonly high: number };
  readonly cpuUs: number | null;
  readonly faults: number | null;
}

/** Runs both in the given order. */
export async function both<Result>(
  oursFirst: boolean,
  sides: { ours: () => Promise<Result>; theirs: () => Promise<Result> },
): Promise<{ ours: Result; theirs: Result }> {
  if (oursFirst) {
    const ours = await sides.ours();
    return { ours, theirs: await sides.theirs() };
  }
  const theirs = await sides.theirs();
  return { ours: await sides.ours(), theirs };
}

export async function warmUp(contest: Contest): Promise<void> {
  for (let n = 0; n < contest.warmUps; n += 1) await contest.measure(n % 2 === 0);
}

/** The ratio is that of the medians; single rounds only tell how far to trust it. */
export function summarise(line: Line, { calls, warmUps }: Contest, pairs: readonly Pair[]): LineResult {
  const ours = median(pairs.map((pair) => pair.ours));
  const theirs = median(pairs.map((pair) => pair.theirs));
  const cpu = pairs.flatMap(({ cpuUs }) => cpuUs ?? []);
  const faults = pairs.flatMap((pair) => pair.faults ?? []);
  return {
    ...line,
    ours,
    theirs,
    ratio: ours / theirs,
    warmUpCalls: calls * warmUps,
    ratios: spread(pairs.map((pair) => pair.ours / pair.theirs)),
    cpuUs: cpu.length > 0 ? median(cpu) : null,
    faults: faults.length > 0 ? faults.reduce((sum, count) => sum + count, 0) : null,
  };
}
