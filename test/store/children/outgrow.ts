// Started with a limit on the size of files: asks at once for commits that fit around one that does not, and prints how each ended.
import { Problem } from '../../../src/contract/index.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { eventRow, sessionRow } from '../rows.ts';

const [file = '', bytes = '0'] = process.argv.slice(2);
const store = await openSqliteStore({ file });
const commit = (id: string, text: string) => store.commit({ sessionId: id, session: sessionRow(id), events: [eventRow(1, text)] });

const settled = await Promise.allSettled([
  commit('ses_before', 'fits'),
  commit('ses_big', 'x'.repeat(Number(bytes))),
  commit('ses_after', 'fits'),
]);
const endings = settled.map((one) => {
  if (one.status === 'fulfilled') return 'written';
  return one.reason instanceof Problem ? [one.reason.code, one.reason.retryAfterSeconds] : String(one.reason);
});
await store.ping();
await store.close();
console.log(JSON.stringify(endings));
