// Started with a limit on the size of files: commits until it is refused, tries a smaller one, prints what was acknowledged and
// how it was refused, and dies without closing anything.
import { writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../../src/contract/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { eventRow, sessionRow } from '../rows.ts';

const [file = ''] = process.argv.slice(2);
const store = await openSqliteStore({ file, warn: () => {} });
await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });

let last = 0;
let refusal: unknown;
while (refusal === undefined) {
  try {
    await store.commit({ sessionId: 'ses_a', events: [eventRow(last + 1, 'x'.repeat(10_000))] });
    last += 1;
    await setImmediate();
  } catch (error) {
    refusal = error instanceof Problem ? error.code : String(error);
  }
}
writeSync(1, JSON.stringify({ last, refusal }));
process.kill(process.pid, 'SIGKILL');
