// What the nodes of a test share: a Redis and a data directory.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { DURABLE, startRedis, type RedisServer } from '../support/redis.ts';

export interface SharedStore {
  readonly redis: RedisServer;
  /** Settings of a node, with leases that last for this long. */
  readonly env: Record<string, string>;
  readonly leaseTtlMs: number;
  /** A data directory, removed after the tests of the file. */
  directory(name: string): string;
}

/** For the tests of one file. */
export async function sharedStore(leaseTtlMs: number): Promise<SharedStore> {
  const redis = await startRedis(DURABLE);
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-cluster-')));
  after(async () => {
    await redis.end();
    await rm(base, { recursive: true, force: true });
  });
  return {
    redis,
    leaseTtlMs,
    env: { TOOLEXEC_STORE: redis.url, TOOLEXEC_LEASE_TTL_MS: `${leaseTtlMs}` },
    directory: (name) => join(base, name),
  };
}
