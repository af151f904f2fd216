// Does the faults of a plan to what is there.
import { setTimeout as wait } from 'node:timers/promises';
import { FAULTS, type Fault, type Part } from './plan/faults.ts';
import type { Ledger } from './ledger.ts';
import type { Disk } from './world/disk.ts';
import type { Nodes } from './world/nodes.ts';
import type { Proxy } from './world/proxy.ts';
import type { RedisProcess } from './world/redis.ts';

export interface World {
  readonly nodes: Nodes;
  readonly proxy: Proxy;
  /** Absent where the store is a file. */
  readonly redis: RedisProcess | undefined;
  /** Absent where none could be mounted. */
  readonly disk: Disk | undefined;
}

const BREATH_MS: Record<Part, number> = { node: 1_500, redis: 1_000, network: 0, disk: 1_000 };

/** One storm: faults of one part come one after another, others at the same time. @throws Error when a node or Redis does not start again */
export async function inject(
  storm: readonly Fault[],
  world: World,
  { ledger, signal }: { ledger: Ledger; signal: AbortSignal },
): Promise<void> {
  const busy = new Map<Part, Promise<void>>();
  for (const fault of storm) {
    const { part } = FAULTS[fault.kind];
    await wait(fault.gapMs, undefined, { signal });
    await busy.get(part);
    signal.throwIfAborted();
    ledger.count(`fault ${fault.kind}`);
    // What has come back works for a while before the next fault of its kind: else nothing would ever be done.
    const done = apply(fault, world).then(() => wait(BREATH_MS[part], undefined, { signal }));
    // Heard when the storm ends, or when the next of its part begins.
    done.catch(() => undefined);
    busy.set(part, done);
  }
  await Promise.all(busy.values());
}

async function apply({ kind, holdMs, target }: Fault, { nodes, proxy, redis, disk }: World): Promise<void> {
  switch (kind) {
    case 'node-kill':
      return nodes.kill(target, holdMs);
    case 'node-term':
      return nodes.terminate(target, holdMs);
    case 'node-frozen':
    case 'node-frozen-long':
      return nodes.freeze(target, holdMs);
    case 'redis-kill':
      await redis?.kill();
      await wait(holdMs);
      return redis?.start();
    case 'redis-frozen':
      redis?.signal('SIGSTOP');
      await wait(holdMs);
      return redis?.signal('SIGCONT');
    case 'cut-all':
      return proxy.cut('all');
    case 'cut-one':
      return proxy.cut(target);
    case 'delay':
      return proxy.delay(holdMs);
    case 'half-open':
      return proxy.halfOpen(target);
    case 'disk-full':
      return disk?.fill(holdMs);
  }
}
