// What a Redis must be like before sessions are entrusted to it.
import { ErrorReply } from '@redis/client';
import type { Client } from './client.ts';

const OLDEST = 7;

/** Looks at a Redis. @param warn told of what loses data in some event @throws Error that says what to set, when it would lose some in any case */
export async function checkServer(client: Client, warn: (message: string) => void): Promise<void> {
  const info = await readInfo(client);
  const version = info.get('redis_version') ?? '0';
  if (Number.parseInt(version, 10) < OLDEST) throw new Error(`It is version ${version}; toolexec needs ${OLDEST}.0 or later.`);
  const policy = info.get('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    throw new Error(`Its maxmemory-policy is ${policy}, so it drops sessions when its memory is full: set maxmemory-policy noeviction.`);
  }
  const settings = await readSettings(client);
  if (settings === null) {
    warn(
      'Redis does not let toolexec read its settings (CONFIG GET): see to it yourself that appendonly is yes and appendfsync is not no.',
    );
  }
  for (const message of lossWarnings(info.get('aof_enabled') === '1', settings)) warn(message);
}

/** How many shards of its cluster have slots; 1 for a Redis that is none. */
export async function shardsOf(client: Client): Promise<number> {
  const enabled = /^cluster_enabled:1\r?$/m.test(await client.info('cluster'));
  return enabled ? Number(/cluster_size:(\d+)/.exec(await client.clusterInfo())?.[1] ?? 1) : 1;
}

function lossWarnings(appends: boolean, settings: { save: string; fsync: string } | null): string[] {
  if (appends) {
    if (settings?.fsync !== 'no') return [];
    return [
      'Redis leaves it to the system when its log reaches the disk: a power failure may take half a minute. Set appendfsync everysec or always.',
    ];
  }
  if (settings?.save === '') return ['Redis keeps nothing on disk: when it is restarted, all sessions are gone. Set appendonly yes.'];
  return ['Redis only takes snapshots: when it dies, what came after the last one is gone. Set appendonly yes.'];
}

async function readInfo(client: Client): Promise<Map<string, string>> {
  const text = (await Promise.all(['server', 'memory', 'persistence', 'cluster'].map((section) => client.info(section)))).join('\r\n');
  const lines = text.split('\r\n').map((line) => line.split(':', 2) as [string, string?]);
  return new Map(lines.map(([name, value = '']) => [name, value]));
}

/** `null` where CONFIG is not for this user, or not there at all, as with hosted ones. */
async function readSettings(client: Client): Promise<{ save: string; fsync: string } | null> {
  try {
    const found = await client.configGet(['save', 'appendfsync']);
    return { save: found['save'] ?? '', fsync: found['appendfsync'] ?? '' };
  } catch (error) {
    if (error instanceof ErrorReply) return null;
    throw error;
  }
}
