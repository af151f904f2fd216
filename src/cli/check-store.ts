// Whether sessions can be kept: the data directory, and the store in it or elsewhere.
import { mkdir, mkdtemp, rm, rmdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { messageOf } from '../contract/index.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import type { Finding } from './finding.ts';

const GIB = 2 ** 30;
const ENOUGH_BYTES = 2 * GIB;
const LEAST_BYTES = 0.1 * GIB;
const TIMEOUT_MS = 5_000;

export async function checkStore(config: Config): Promise<Finding[]> {
  return [...(await checkDataDir(config)), ...(config.store === 'sqlite' ? [] : [await checkRedis(config.store)])];
}

async function checkDataDir({ dataDir, store }: Config): Promise<Finding[]> {
  let made: string | undefined;
  try {
    made = await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // Beside a service that runs, whose own file nobody else may open.
    const place = await mkdtemp(join(dataDir, 'doctor-'));
    try {
      if (store === 'sqlite') await tryStore(join(place, 'store.sqlite'));
    } finally {
      await rm(place, { recursive: true, force: true });
    }
    const writable: Finding = {
      name: store === 'sqlite' ? 'store' : 'data directory',
      state: 'ok',
      detail: `${dataDir} can be written${store === 'sqlite' ? ', and SQLite works there' : ''}.`,
    };
    return [writable, await checkSpace(dataDir)];
  } catch (error) {
    const detail = `${dataDir} cannot be used: ${messageOf(error)}`;
    return [{ name: 'store', state: 'fail', detail, fix: 'Set TOOLEXEC_DATA_DIR to a directory that this user may write.' }];
  } finally {
    if (made !== undefined) {
      await rmdir(dataDir).catch(() => {
        // Somebody has put something into it meanwhile.
      });
    }
  }
}

async function tryStore(file: string): Promise<void> {
  const store = await openSqliteStore({ file });
  try {
    await store.ping();
  } finally {
    await store.close();
  }
}

async function checkSpace(directory: string): Promise<Finding> {
  const name = 'disk space';
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const detail = `${(free / GIB).toFixed(1)} GiB are free in ${directory}.`;
  if (free >= ENOUGH_BYTES) return { name, state: 'ok', detail };
  return { name, state: free < LEAST_BYTES ? 'fail' : 'warn', detail, fix: 'Free some, or set TOOLEXEC_DATA_DIR to a larger disk.' };
}

/** Reachable, of a version that is known, and one that loses nothing. */
async function checkRedis(url: string): Promise<Finding> {
  const name = 'store';
  const warnings: string[] = [];
  try {
    const { openRedisStore } = await import('../store/redis/open-redis.ts');
    const store = await openRedisStore({ url, timeoutMs: TIMEOUT_MS, warn: (message) => warnings.push(message) });
    await store.close();
  } catch (error) {
    const fix = 'See to it that Redis runs and TOOLEXEC_STORE is its address, and set what it asks for.';
    return { name, state: 'fail', detail: `Redis cannot be used: ${messageOf(error)}`, fix };
  }
  if (warnings.length === 0) return { name, state: 'ok', detail: 'Redis can be reached, and is set to lose nothing.' };
  return { name, state: 'warn', detail: warnings.join(' '), fix: 'Set appendonly yes and appendfsync everysec in Redis.' };
}
