// Everything that a run needs: a disk, Redis, nodes, and the proxy before them.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from '../inject.ts';
import type { Ledger } from '../ledger.ts';
import type { ChaosOptions } from '../options.ts';
import { mountDisk } from './disk.ts';
import { startNodes } from './nodes.ts';
import { commandsOf } from './processes.ts';
import { startProxy } from './proxy.ts';
import { startRedis } from './redis.ts';

const DRAIN_GRACE_MS = 2_000;
/** Signs of life come sooner than a client gives up, and what is lost is missed sooner. */
const LIMITS = { sse_comment_ms: 1_000, reconnect_ms: 3_000 };

export interface BuiltWorld extends World {
  /** Name of the run, in the environment of every command. */
  readonly run: string;
}

/** @param stack gets what ends each thing. @throws Error when something does not start */
export async function buildWorld(options: ChaosOptions, ledger: Ledger, stack: AsyncDisposableStack): Promise<BuiltWorld> {
  const run = `run-${randomBytes(6).toString('hex')}`;
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-chaos-')));
  stack.defer(() => rm(base, { recursive: true, force: true }));
  const disk = (await mountDisk(join(base, 'disk'))) ?? undefined;
  if (disk !== undefined) stack.defer(() => disk.unmount());
  stack.defer(() => killCommands(run));
  const redis = options.store === 'redis' ? await startRedis(join(base, 'redis')) : undefined;
  if (redis !== undefined) stack.defer(() => redis.kill());
  const logs = options.logs ?? join(base, 'logs');
  await mkdir(logs, { recursive: true });
  const config = join(base, 'config.json');
  await writeFile(config, JSON.stringify({ limits: LIMITS }));
  const env = {
    TOOLEXEC_STORE: redis?.url ?? 'sqlite',
    TOOLEXEC_DATA_DIR: disk?.directory ?? join(base, 'data'),
    TOOLEXEC_LEASE_TTL_MS: String(options.ttlMs),
    TOOLEXEC_DRAIN_GRACE_MS: String(DRAIN_GRACE_MS),
    TOOLEXEC_CONFIG: config,
  };
  const nodes = await startNodes({ count: options.nodes, env, graceMs: DRAIN_GRACE_MS, logs, ledger });
  stack.defer(() => nodes.killAll());
  const proxy = await startProxy(() => nodes.ports);
  stack.defer(() => proxy.close());
  return { run, nodes, proxy, redis, disk };
}

/** Whatever a node has left. */
async function killCommands(run: string): Promise<void> {
  for (const { pid } of await commandsOf(run)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}
