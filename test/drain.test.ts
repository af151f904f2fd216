import assert from 'node:assert/strict';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { assistant, call, resultsOf, startServer, type Json } from './support/server.ts';
import { newTrace, workTool } from './support/test-tools.ts';

async function dataDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A service that is stopped while each of two sessions runs a long call and has another message waiting. */
async function drained(t: TestContext, dataDir: string): Promise<string[]> {
  const trace = newTrace();
  const server = await startServer(t, { dataDir, tools: [workTool(trace)], env: { TOOLEXEC_DRAIN_GRACE_MS: '50' } });
  const sessions = [await server.session({ metadata: { n: 0 } }), await server.session({ metadata: { n: 1 } })];
  const running = sessions.map((session, n) =>
    server.post(session, [call(`long${n}`, 'Work', { ms: 60_000 }), call(`late${n}`, 'Work', { safe: false })]),
  );
  await trace.until(() => trace.started.length === 2);
  const waiting = sessions.map((session, n) => server.post(session, [call(`waiting${n}`, 'Work')]));
  const turns = async (session: string): Promise<Json[]> => (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
  for (const session of sessions) while ((await turns(session)).length < 2) await sleep(5);
  await server.close();
  const replies = await Promise.all([...running, ...waiting]);
  assert.deepEqual(
    replies.map(({ body }) => [body['turn'].status, ...body['turn'].calls.map((one: Json) => one['outcome'])]),
    [
      ['aborted', 'aborted', 'aborted'],
      ['aborted', 'aborted', 'aborted'],
      ['aborted', 'aborted'],
      ['aborted', 'aborted'],
    ],
  );
  assert.deepEqual(trace.started.toSorted(), ['long0', 'long1']);
  return sessions;
}

describe('a service that stops before its turns have ended', () => {
  test('closes no session in the store, and leaves no turn open', async (t) => {
    const dataDir = await dataDirectory(t);
    const sessions = await drained(t, dataDir);
    const store = openSqliteStore({ file: join(dataDir, 'toolexec.sqlite') });
    t.after(() => store.close());
    for (const id of sessions) {
      assert.equal((await store.session(id))?.closed, false);
      assert.deepEqual(await store.openTurns(id), []);
    }
    assert.equal(await store.countSessions(''), 2);
  });

  test('gives the sessions back at its next start: listed, with their files and results, and ready for more', async (t) => {
    const dataDir = await dataDirectory(t);
    const sessions = await drained(t, dataDir);
    const server = await startServer(t, { dataDir, tools: [workTool()] });
    const { body } = await server.request('GET', '/v1/sessions');
    assert.deepEqual(
      body['data'].map(({ id, status, metadata }: Json) => [id, status, metadata['n']]),
      [
        [sessions[1], 'idle', 1],
        [sessions[0], 'idle', 0],
      ],
    );
    for (const { id, workspace } of body['data'] as Json[]) {
      await access(workspace.path);
      const path = `/v1/sessions/${id}`;
      const { body: turns } = await server.request('GET', `${path}/turns`);
      assert.deepEqual(
        turns['data'].map(({ status }: Json) => status),
        ['aborted', 'aborted'],
      );
      assert.deepEqual(resultsOf((await server.post(id, [call('next', 'Work', { label: 'x' })])).body), ['next: done x']);
      const socket = await server.socket(`${path}/stream`);
      socket.send({ type: 'message', message: assistant([call('more', 'Work')]) });
      assert.deepEqual(resultsOf(await socket.type('turn_completed')), ['more: done ']);
    }
  });
});
