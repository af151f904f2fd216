// What a benchmark measures: the service and something to compare it with, in the same round, in changing order.
import type { ServerProcess } from './server-process.ts';

/** `/s` is a rate, of which more is better; of all others less is. */
export type Unit = 'µs' | 'ms' | 'MB' | 'kB' | '%' | '/s';

/** One line of the table. */
export interface Line {
  /** Number of the target that the line measures. */
  readonly row: string;
  readonly name: string;
  readonly against: string;
  readonly unit: Unit;
  /** Ratio that is good enough: the highest one, or of a rate the lowest; `null` where nothing is promised. */
  readonly target: number | null;
}

export interface Pair {
  readonly ours: number;
  readonly theirs: number;
  /** Processor time of our server a call, in microseconds. */
  readonly cpuUs?: number;
  /** Broken promises that were seen on the way, such as a result out of order. */
  readonly faults?: number;
  /** What was found out while measuring and belongs to the name, such as a rate that this machine can carry. */
  readonly note?: string;
}

/** What all contests may use. */
export interface World {
  /** The service on SQLite. */
  readonly toolexec: ServerProcess;
  readonly floors: ServerProcess;
  /** Whether what takes long is asked for. */
  readonly long: boolean;
}

export interface Contest {
  readonly lines: readonly Line[];
  /** Calls that `measure` makes of our side. */
  readonly calls: number;
  /** How often `measure` runs before its numbers count. The first thousands of calls run code that is not optimised yet. */
  readonly warmUps: number;
  /** Rounds at most, where more would take too long or tell no more. */
  readonly mostRounds?: number;
  /** Starts what it measures. @throws LeftOutError where this machine lacks something it needs */
  open(world: World): Promise<Measuring>;
}

export interface Measuring {
  /** One pair a line. @param oursFirst who is measured first, so that neither always has the warm machine */
  measure(oursFirst: boolean): Promise<readonly Pair[]>;
  close(): Promise<void>;
}

/** A contest cannot be held on this machine; the message says what it needs. */
export class LeftOutError extends Error {
  override readonly name = 'LeftOutError';
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

/** Runs both, and tells the processor time that the server of our side took for each of its calls. */
export async function bothWithCpu<Result>(
  oursFirst: boolean,
  sides: { server: ServerProcess; calls: number; ours: () => Promise<Result>; theirs: () => Promise<Result> },
): Promise<{ ours: Result; theirs: Result; cpuUs: number }> {
  const { server, calls, ours, theirs } = sides;
  let spentUs = 0;
  const results = await both(oursFirst, {
    async ours() {
      const before = await server.use();
      const result = await ours();
      spentUs = (await server.use()).cpuUs - before.cpuUs;
      return result;
    },
    theirs,
  });
  return { ...results, cpuUs: spentUs / calls };
}
