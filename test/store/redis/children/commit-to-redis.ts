// Commits to a few sessions side by side until Redis is away, and prints `<session> <seq>` for each commit that was acknowledged.
import { writeSync } from 'node:fs';
import { openRedisStore } from '../../../../src/store/redis/open-redis.ts';
import { eventRow, sessionRow } from '../../rows.ts';

const [url = '', sessions = '1'] = process.argv.slice(2);
const store = await openRedisStore({ url, warn: () => undefined });

async function commitWhileItGoes(id: string): Promise<void> {
  for (let seq = 1; ; seq += 1) {
    try {
      await store.commit({ sessionId: id, session: sessionRow(id), events: [eventRow(seq, 'x'.repeat(seq % 5_000))] });
    } catch {
      return;
    }
    writeSync(1, `${id} ${seq}\n`);
  }
}

await Promise.all(Array.from({ length: Number(sessions) }, (_, n) => commitWhileItGoes(`ses_${n}`)));
process.exit(0);
