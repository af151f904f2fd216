// The nodes of the cluster: each has a place in which another process starts when the one before has ended.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ledger } from '../ledger.ts';
import { startService, type ServiceProcess } from './service-process.ts';

const RETRY_MS = 300;
/** What a node may take to start, while faults keep it from it. */
const START_LIMIT_MS = 60_000;
/** What a node may take to end beyond its grace. */
const END_LIMIT_MS = 20_000;

export interface Nodes {
  /** Ports on which nodes listen, or did until a moment ago. */
  readonly ports: readonly number[];
  readonly size: number;
  /** Kills a node, and starts another after a while. */
  kill(index: number, downMs: number): Promise<void>;
  /** Asks a node to end, and starts another after a while. */
  terminate(index: number, downMs: number): Promise<void>;
  /** Stops a node without its knowing. */
  freeze(index: number, forMs: number): Promise<void>;
  /** Ends all nodes as an operator does. */
  close(): Promise<void>;
  /** Kills all that is left, at once. */
  killAll(): void;
}

export interface NodesOptions {
  readonly count: number;
  readonly env: Readonly<Record<string, string>>;
  readonly graceMs: number;
  readonly logs: string;
  readonly ledger: Ledger;
}

interface Place {
  process: ServiceProcess | undefined;
  port: number;
  starts: number;
  /** Whether the end of its process is wanted. */
  ending: boolean;
}

/** @throws Error when a node does not start */
export async function startNodes(options: NodesOptions): Promise<Nodes> {
  const { count, graceMs, ledger } = options;
  const places: Place[] = Array.from({ length: count }, () => ({ process: undefined, port: 0, starts: 0, ending: false }));
  let closing = false;
  const begin = (place: Place): Promise<void> => occupy(place, options, { isClosing: () => closing });
  const placeOf = (index: number): Place => places[index % places.length] as Place;
  const end = async (index: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<Place> => {
    const place = placeOf(index);
    const { process: service } = place;
    if (service === undefined) return place;
    place.ending = true;
    service.signal(signal);
    const how = await Promise.race([service.exited, wait(graceMs + END_LIMIT_MS, null, { ref: false })]);
    if (how === null) ledger.violate('node', 'did not end after SIGTERM', service.log.at(-1));
    else if (signal === 'SIGTERM' && how !== '0') ledger.violate('node', `ended with ${how} after SIGTERM`, service.log.join(' | '));
    if (how === null) service.signal('SIGKILL');
    place.process = undefined;
    return place;
  };
  const replace = async (place: Place, downMs: number): Promise<void> => {
    await wait(downMs);
    await begin(place);
  };
  await Promise.all(places.map(begin));
  return {
    get ports() {
      return places.map(({ port }) => port);
    },
    size: count,
    kill: async (index, downMs) => replace(await end(index, 'SIGKILL'), downMs),
    terminate: async (index, downMs) => replace(await end(index, 'SIGTERM'), downMs),
    async freeze(index, forMs) {
      const { process: service } = placeOf(index);
      service?.signal('SIGSTOP');
      await wait(forMs);
      service?.signal('SIGCONT');
    },
    async close() {
      closing = true;
      await Promise.all(places.map((_, index) => end(index, 'SIGTERM')));
    },
    killAll() {
      closing = true;
      for (const { process: service } of places) service?.signal('SIGKILL');
    },
  };
}

/** Starts a process in a place, again and again while it fails. @throws Error with what it said last */
async function occupy(place: Place, options: NodesOptions, { isClosing }: { isClosing: () => boolean }): Promise<void> {
  const { env, logs, ledger } = options;
  for (const until = performance.now() + START_LIMIT_MS; !isClosing();) {
    place.starts += 1;
    try {
      const service = await startService({ env, logFile: join(logs, `node-${process.pid}-${Date.now()}.log`) });
      Object.assign(place, { process: service, port: service.port, ending: false });
      void replaceIfLost(place, service, { options, isClosing });
      return;
    } catch (error) {
      ledger.count('failed starts of a node');
      if (performance.now() > until) throw error;
      await wait(RETRY_MS);
    }
  }
}

interface Keeping {
  readonly options: NodesOptions;
  readonly isClosing: () => boolean;
}

/** A node that ends without having been asked to has failed. */
async function replaceIfLost(place: Place, service: ServiceProcess, { options, isClosing }: Keeping): Promise<void> {
  const how = await service.exited;
  if (place.ending || isClosing()) return;
  options.ledger.violate('node', `ended by itself with ${how}`, service.log.join(' | '));
  place.process = undefined;
  await occupy(place, options, { isClosing });
}
