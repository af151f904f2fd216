// Holds a session until it was frozen, then tells whether it may still start something, and what comes of writing all the same.
import { openRedisNode } from '../../../../src/store/redis/open-redis.ts';
import { eventRow, sessionRow } from '../../rows.ts';

const [url = '', sessionId = '', ttlMs = ''] = process.argv.slice(2);
const { store, leases } = await openRedisNode({ url, node: 'frozen', ttlMs: Number(ttlMs), warn: () => undefined });
const lease = await leases.acquire(sessionId);
if (lease === null) throw new Error('the session is taken');
const { epoch } = lease;
await store.commit({ sessionId, epoch, session: sessionRow(sessionId) });
// Without a pause, so that no timer of the lease runs between waking and asking: the clock alone tells. From before it says so
// on, since it may be frozen right then.
let last = performance.now();
console.log('held');
for (let now = last; now - last < Number(ttlMs) * 0.6;) {
  last = now;
  now = performance.now();
}
const isHeld = lease.isHeld();
const refusal = await store.commit({ sessionId, epoch, events: [eventRow(1)] }).then(
  () => 'none',
  (error: unknown) => (error instanceof Error ? error.name : String(error)),
);
console.log(JSON.stringify({ isHeld, refusal }));
process.exit(0);
