// The thread that has the store file.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { openSqliteThread } from '../../src/store/ask-sqlite.ts';
import { sessionRow } from './rows.ts';
import { storeFile } from './sqlite-files.ts';

const unavailable = { code: 'store-unavailable' };

describe("the store file's thread", () => {
  test('answers in the order in which it is asked, also what it was asked right before it is closed', async (t) => {
    const { ask, close } = await openSqliteThread(await storeFile(t));
    const row = sessionRow('ses_a');
    const batch = { sessions: [{ sessionId: 'ses_a', removed: false, row, events: [], turns: [], calls: [] }], replies: [] };
    const answers = [ask('session', 'ses_a'), ask('apply', batch, 1), ask('session', 'ses_a')];
    const closed = close();
    assert.deepEqual(await Promise.all(answers), [null, undefined, row]);
    await closed;
    await assert.rejects(ask('session', 'ses_a'), unavailable);
    await close();
  });

  test('tells what SQLite refuses, and works on', async (t) => {
    const { ask, close } = await openSqliteThread(await storeFile(t));
    t.after(close);
    const batch = { sessions: [{ sessionId: 'ses_a', removed: false, row: undefined, events: [], turns: [], calls: [] }], replies: [] };
    await assert.rejects(ask('apply', batch, 7), /Session ses_a is not in the store/);
    assert.equal(await ask('countSessions', 'anna'), 0);
  });

  test('that fails leaves nobody waiting: all that was and is asked is refused as store-unavailable, with the reason', async (t) => {
    const { ask, close } = await openSqliteThread(await storeFile(t), 16);
    // More than its memory holds.
    const events = Array.from({ length: 20 }, (_, index) => ({ seq: index + 1, json: 'x'.repeat(10_000_000) }));
    const session = { sessionId: 'ses_a', removed: false, row: sessionRow('ses_a'), events, turns: [], calls: [] };
    const asked = [ask('apply', { sessions: [session], replies: [] }, 1), ask('touch'), ask('position')];
    for (const one of asked) await assert.rejects(one, { ...unavailable, message: /its thread has ended .*memory/ });
    await assert.rejects(ask('touch'), unavailable);
    await close();
  });

  test('keeps no process alive that has nothing to do, though nobody has closed it', async (t) => {
    const script = new URL('./children/leave-open.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, await storeFile(t)], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    assert.equal(await text(child.stdout), 'kept');
    assert.deepEqual(await exited, [0, null]);
  });
});
