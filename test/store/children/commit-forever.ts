// Commits to a few sessions side by side until it is killed, and prints `<session> <seq>` for each commit that was acknowledged.
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { eventRow, sessionRow } from '../rows.ts';

const [file = '', sessions = '1'] = process.argv.slice(2);
const store = await openSqliteStore({ file });

async function commitForever(id: string): Promise<never> {
  let { last } = await store.range(id);
  for (;;) {
    last += 1;
    await store.commit({ sessionId: id, session: sessionRow(id), events: [eventRow(last, 'x'.repeat(last % 5_000))] });
    tell(`${id} ${last}\n`);
  }
}

/** Past the stream's buffer, so that what is acknowledged is told even if the process dies right after. */
function tell(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      // Whoever reads it is slower than the store.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

await Promise.all(Array.from({ length: Number(sessions) }, (_, n) => commitForever(`ses_${n}`)));
