import type { TestContext } from 'node:test';
import type { Store } from '../../../src/contract/index.ts';
import { openRedisNode, openRedisStore, type RedisNode } from '../../../src/store/redis/open-redis.ts';
import type { RedisServer } from '../../support/redis.ts';
import type { OpenedStore } from '../open-store.ts';

const ignore = (): void => undefined;

/** Opens fresh, empty stores of one server, as the suite wants them. */
export function openOn(server: () => RedisServer): (t: TestContext) => Promise<OpenedStore> {
  return async (t) => {
    const client = await server().client();
    await client.flushAll();
    let store = await openRedisStore({ url: server().url, warn: ignore });
    t.after(() => store.close());
    const reopen = async (): Promise<Store> => {
      await store.close();
      store = await openRedisStore({ url: server().url, warn: ignore });
      return store;
    };
    return { store, reopen };
  };
}

/** A node of a cluster that ends with the test. */
export async function openNode(
  t: TestContext,
  url: string,
  options: { node?: string; ttlMs?: number; timeoutMs?: number; warn?: (message: string) => void } = {},
): Promise<RedisNode> {
  const node = await openRedisNode({ url, node: 'node-a', ttlMs: 15_000, warn: ignore, ...options });
  t.after(async () => {
    await node.leases.close();
    await node.store.close();
  });
  return node;
}
