// Owns a session and handles its messages, printing each; one of them kills it before it can tell that it was handled.
import { writeSync } from 'node:fs';
import { openRedisNode } from '../../../../src/store/redis/open-redis.ts';

const [url = '', sessionId = '', deadly = ''] = process.argv.slice(2);
const { leases, inbox } = await openRedisNode({ url, node: 'dying', ttlMs: 60_000, warn: () => undefined });
const lease = await leases.acquire(sessionId);
if (lease === null) throw new Error('the session is taken');
const handle = async ({ text }: { text: string }): Promise<void> => {
  writeSync(1, `${text}\n`);
  if (text === deadly) process.kill(process.pid, 'SIGKILL');
};
await inbox.receive(lease, handle, lease.lost);
