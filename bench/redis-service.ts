import { spawnSync } from 'node:child_process';
import { startRedis } from '../test/support/redis.ts';
import { LeftOutError } from './contest.ts';
import { startService, type ServerProcess } from './server-process.ts';

/** As safe as SQLite is where the service runs: what a crash of the machine may take is a second. */
const SETTINGS = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

/**
 * The service on a Redis of its own, which ends with it.
 * @param nodeOptions of the service's process
 * @throws LeftOutError where no Redis is installed
 */
export async function startOnRedis(nodeOptions: readonly string[] = []): Promise<ServerProcess> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) throw new LeftOutError('This machine has no redis-server.');
  const redis = await startRedis(SETTINGS);
  try {
    const server = await startService({ nodeOptions, env: { TOOLEXEC_STORE: redis.url } });
    return {
      ...server,
      async stop() {
        await server.stop();
        await redis.end();
      },
    };
  } catch (error) {
    await redis.end();
    throw error;
  }
}
