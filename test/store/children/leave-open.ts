// Keeps a session and leaves without closing the store.
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { sessionRow } from '../rows.ts';

const [file = ''] = process.argv.slice(2);
const store = await openSqliteStore({ file });
await store.commit({ sessionId: 'ses_a', session: sessionRow('ses_a') });
if ((await store.session('ses_a')) !== null) writeSync(1, 'kept');
