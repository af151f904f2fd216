// Which faults come, when and for how long: all of it from the seed. They come in storms; after each there is a calm in which
// everything that was hit must come to its end.
import { randomOf } from './random.ts';

/** What a fault is done to. Faults of the same part come one after another, so that no two nodes are down at once. */
export type Part = 'node' | 'redis' | 'network' | 'disk';

interface Kind {
  readonly part: Part;
  readonly text: string;
  /** How often it comes in relation to the others. */
  readonly weight: number;
  /** How long it lasts, in milliseconds and in times to live of a lease. */
  readonly holdMs: readonly [min: number, max: number];
  readonly holdTtls?: number;
}

export const FAULTS = {
  'node-kill': { part: 'node', text: 'SIGKILL of a node, another starts', weight: 14, holdMs: [0, 800] },
  'node-term': { part: 'node', text: 'SIGTERM of a node, another starts', weight: 8, holdMs: [0, 200] },
  'node-frozen-long': { part: 'node', text: 'a node frozen past its leases', weight: 5, holdMs: [600, 2_000], holdTtls: 1 },
  'node-frozen': { part: 'node', text: 'a node frozen for a moment', weight: 9, holdMs: [100, 1_500] },
  'redis-kill': { part: 'redis', text: 'SIGKILL of Redis, started again', weight: 6, holdMs: [0, 1_000] },
  'redis-frozen': { part: 'redis', text: 'Redis frozen for a moment', weight: 6, holdMs: [100, 1_500] },
  'cut-all': { part: 'network', text: 'all connections cut', weight: 7, holdMs: [0, 0] },
  'cut-one': { part: 'network', text: 'one connection cut', weight: 18, holdMs: [0, 0] },
  delay: { part: 'network', text: 'all connections delayed', weight: 12, holdMs: [100, 1_000] },
  'half-open': { part: 'network', text: 'a connection left half-open', weight: 12, holdMs: [0, 0] },
  'disk-full': { part: 'disk', text: 'the data directory full', weight: 3, holdMs: [500, 2_500] },
} as const satisfies Record<string, Kind>;

export type FaultKind = keyof typeof FAULTS;
export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

export interface Fault {
  readonly kind: FaultKind;
  /** Milliseconds since the fault before it has begun. */
  readonly gapMs: number;
  readonly holdMs: number;
  /** Says which of the nodes or connections that are there then is meant. */
  readonly target: number;
}

export interface FaultPlan {
  readonly seed: number;
  readonly faults: number;
  readonly ttlMs: number;
  /** Kinds that may come. */
  readonly kinds: readonly FaultKind[];
}

/** Faults of a storm. */
const STORM = [6, 16] as const;
const GAP_MS = [20, 900] as const;

/** @returns storms of faults */
export function planFaults({ seed, faults: wanted, ttlMs, kinds }: FaultPlan): Fault[][] {
  const storms: Fault[][] = [];
  const weights = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, kinds.includes(kind) ? FAULTS[kind].weight : 0]));
  for (let left = wanted; left > 0;) {
    const random = randomOf(seed, 'storm', storms.length);
    const size = Math.min(left, random.whole(...STORM));
    left -= size;
    storms.push(
      Array.from({ length: size }, () => {
        const kind = random.weighted(weights as Record<FaultKind, number>);
        const { holdMs, holdTtls = 0 }: Kind = FAULTS[kind];
        return { kind, gapMs: random.whole(...GAP_MS), holdMs: random.whole(...holdMs) + holdTtls * ttlMs, target: random.whole(0, 999) };
      }),
    );
  }
  return storms;
}
