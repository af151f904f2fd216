// What a run is asked for on its command line.
import { parseArgs } from 'node:util';
import { FAULT_KINDS, type FaultKind } from './plan/faults.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly faults: number;
  readonly sessions: number;
  readonly nodes: number;
  readonly store: 'redis' | 'sqlite';
  /** Kinds of faults that come. */
  readonly kinds: readonly FaultKind[];
  /** Turns at once. */
  readonly active: number;
  /** How long a lease is held, in milliseconds. */
  readonly ttlMs: number;
  /** A directory for the logs of nodes and sessions. */
  readonly logs?: string;
  /** A file for the report as JSON. */
  readonly json?: string;
}

export const HELP = `Runs the service under faults and checks what it promises: every call has exactly one result, in order; what has an effect
takes it at most once; nothing that was told is taken back. Ends with 1 when something of that did not hold.

  node chaos/index.ts [options]

  --seed N        decides which faults come and what clients do; drawn and told when left out
  --faults N      faults, in storms with a calm after each (100)
  --sessions N    sessions whose clients take turns (60)
  --nodes N       nodes behind the proxy (3; 1 with SQLite)
  --store S       redis, a server of the run's own, or sqlite (redis)
  --only KINDS    kinds of faults, comma separated, of ${FAULT_KINDS.join(', ')} (all)
  --active N      turns at once (12)
  --ttl MS        how long a lease is held (3000)
  --logs DIR      keeps the logs of nodes and sessions there
  --json FILE     writes the report there as JSON
  --help          this text

Needs redis-server for several nodes. As root, the data directory lies on a small file system of its own, which is filled at times.
`;

/** @returns `null` when help is asked for. @throws Error that says what to change */
export function readOptions(args: readonly string[]): ChaosOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      faults: { type: 'string', default: '100' },
      sessions: { type: 'string', default: '60' },
      nodes: { type: 'string' },
      store: { type: 'string', default: 'redis' },
      only: { type: 'string', default: FAULT_KINDS.join() },
      active: { type: 'string', default: '12' },
      ttl: { type: 'string', default: '3000' },
      logs: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const { store, logs, json } = values;
  if (store !== 'redis' && store !== 'sqlite') throw new Error('--store takes redis or sqlite.');
  const nodes = whole('nodes', values.nodes ?? (store === 'redis' ? '3' : '1'), 1);
  if (store === 'sqlite' && nodes > 1) throw new Error('Several nodes need --store redis: SQLite is for one.');
  return {
    seed: whole('seed', values.seed ?? String(Math.floor(Math.random() * 1e6)), 0),
    faults: whole('faults', values.faults, 0),
    sessions: whole('sessions', values.sessions, 1),
    nodes,
    store,
    kinds: kindsIn(values.only),
    active: whole('active', values.active, 1),
    ttlMs: whole('ttl', values.ttl, 1_000),
    ...(logs !== undefined && { logs }),
    ...(json !== undefined && { json }),
  };
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) throw new Error(`--${name} takes a whole number of at least ${least}.`);
  return value;
}

function kindsIn(text: string): FaultKind[] {
  const named = text.split(',').map((name) => name.trim());
  const unknown = named.filter((name) => !FAULT_KINDS.some((kind) => kind === name));
  if (unknown.length > 0) throw new Error(`--only does not know ${unknown.join(', ')}: give some of ${FAULT_KINDS.join(', ')}.`);
  return FAULT_KINDS.filter((kind) => named.includes(kind));
}
