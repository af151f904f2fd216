// Commits to a few sessions side by side until it is killed, and prints `<session> <seq>` for each commit that was acknowledged.
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { eventRow, sessionRow } from '../rows.ts';

const [file = '', sessions = '1'] = process.argv.slice(2);
const store = openSqliteStore({ file });

async function commitForever(id: string): Promise<never> {
  let { last } = await store.range(id);
  for (;;) {
    last += 1;
    await store.commit({ sessionId: id, session: sessionRow(id), events: [eventRow(last, 'x'.repeat(last % 5_000))] });
    // Past the stream's buffer, so that what is acknowledged is told even if the process dies right after.
    writeSync(1, `${id} ${last}\n`);
  }
}

await Promise.all(Array.from({ length: Number(sessions) }, (_, n) => commitForever(`ses_${n}`)));
