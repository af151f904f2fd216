import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { Problem } from '../../src/contract/index.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { eventRow, eventRows, sessionRow } from './rows.ts';
import { openUntilEnd, storeFile } from './sqlite-files.ts';

const SESSIONS = 6;

describe('SQLite store in trouble', () => {
  test('kill -9 in the middle of commits loses nothing that was acknowledged, and leaves no gap, three times over', async (t) => {
    const file = await storeFile(t);
    for (const enough of [150, 400, 50]) {
      const acknowledged = await commitAndKill(t, file, enough);
      const store = await openUntilEnd(t, file);
      assert.ok(acknowledged.size > 0);
      for (const [id, last] of acknowledged) {
        const range = await store.range(id);
        assert.ok(range.last >= last, `${id} was acknowledged up to ${last}, but ends at ${range.last}`);
        const seqs = (await store.events({ sessionId: id, after: 0, limit: 1_000_000 })).map((event) => event.seq);
        assert.deepEqual(
          seqs,
          Array.from({ length: range.last }, (_, index) => index + 1),
        );
      }
      await store.close();
    }
  });

  test('while another process holds the file it cannot be opened; once that one is killed it can', async (t) => {
    const file = await storeFile(t);
    await commitAndKill(t, file, 1, () => assert.rejects(openSqliteStore({ file }), /in use by another process/));
    await (await openUntilEnd(t, file)).ping();
  });

  test('a commit that the disk does not take is refused as store-unavailable, its neighbours are written, and the store works on', async (t) => {
    const file = await storeFile(t);
    const child = new URL('./children/outgrow.ts', import.meta.url).pathname;
    const limited = ['-c', 'ulimit -f 1024 && exec "$@"', 'bash', process.execPath, child, file, String(8 * 1024 * 1024)];
    const { stdout } = await promisify(execFile)('bash', limited);
    assert.deepEqual(JSON.parse(stdout), ['written', ['store-unavailable', 5], 'written']);
    const store = await openUntilEnd(t, file);
    assert.deepEqual(await store.events({ sessionId: 'ses_before', after: 0, limit: 10 }), [eventRow(1, 'fits')]);
    assert.deepEqual(await store.events({ sessionId: 'ses_after', after: 0, limit: 10 }), [eventRow(1, 'fits')]);
    assert.equal(await store.session('ses_big'), null);
  });

  test('reading a damaged part of the file is refused as store-unavailable', async (t) => {
    const file = await storeFile(t);
    const before = await openUntilEnd(t, file);
    await before.commit({ sessionId: 'ses_a', session: sessionRow('ses_a'), events: eventRows(1, 5_000) });
    await before.close();
    const { size } = await stat(file);
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(size / 2, 0xff), 0, size / 2, size / 2);
    await handle.close();
    const store = await openUntilEnd(t, file);
    await assert.rejects(
      store.events({ sessionId: 'ses_a', after: 0, limit: 5_000 }),
      (error) => error instanceof Problem && error.code === 'store-unavailable' && error.retryAfterSeconds !== undefined,
    );
  });
});

/** Runs commits in another process and kills it after so many acknowledgements; gives the last acknowledged seq of each session. */
async function commitAndKill(t: TestContext, file: string, enough: number, beforeKill?: () => Promise<void>): Promise<Map<string, number>> {
  const script = new URL('./children/commit-forever.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, file, String(SESSIONS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const acknowledged = new Map<string, number>();
  let count = 0;
  let checked: Promise<void> | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id = '', seq] = line.split(' ');
    acknowledged.set(id, Number(seq));
    count += 1;
    // What it prints meanwhile must be read.
    if (count === enough) checked = (beforeKill?.() ?? Promise.resolve()).finally(() => child.kill('SIGKILL'));
  }
  await checked;
  const [, signal] = await exited;
  assert.equal(signal, 'SIGKILL');
  return acknowledged;
}
