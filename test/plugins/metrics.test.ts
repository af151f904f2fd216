import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../src/contract/index.ts';
import { createMetrics } from '../../src/plugins/observe/metrics.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { call, startServer, type Json, type TestServer } from '../support/server.ts';
import { careful, newTrace, workTool } from '../support/test-tools.ts';

/** Value of a sample, or `undefined` where there is none. */
async function sample(server: TestServer, name: string): Promise<number | undefined> {
  const { body } = await server.request('GET', '/metrics');
  const line = (body['text'] as string).split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

/** Waits until a sample is so. @throws Error when it never is */
async function until(server: TestServer, name: string, isIt: (value: number) => boolean): Promise<void> {
  let value: number | undefined;
  for (const end = performance.now() + 30_000; performance.now() < end; await sleep(10)) {
    value = await sample(server, name);
    if (value !== undefined && isIt(value)) return;
  }
  throw new Error(`${name} stayed ${value}`);
}

describe('the metrics', () => {
  test('count each call once, by tool and by how it ended, and what turns were made of', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await server.post(session, [call('a', 'Work', { ms: '5' }), call('b', 'Work'), call('c', 'Work', { safe: false, fail: true })]);
    await server.post(session, [call('d', 'Work', { nonsense: 1 })]);
    for (const [name, value] of [
      ['toolexec_calls_total{tool="Work",outcome="ok"}', 2],
      ['toolexec_calls_total{tool="Work",outcome="tool_error"}', 1],
      ['toolexec_calls_total{tool="Work",outcome="invalid_input"}', 1],
      ['toolexec_call_duration_seconds_count{tool="Work"}', 4],
      ['toolexec_call_queued_seconds_count', 4],
      ['toolexec_turns_total{status="completed"}', 2],
      ['toolexec_batch_width_count', 3],
      ['toolexec_batch_width_sum', 4],
      ['toolexec_coercions_total{tool="Work"}', 1],
      ['toolexec_turns_open{state="running"}', 0],
      ['toolexec_turns_open{state="queued"}', 0],
      ['toolexec_processes_running', 0],
      ['toolexec_reader_lag_events', 0],
      ['toolexec_event_streams', 0],
      ['toolexec_sessions_in_memory', 1],
      ['toolexec_sockets', 0],
    ] as const) {
      assert.deepEqual([name, await sample(server, name)], [name, value]);
    }
  });

  test('count errors that held something that no model gets, and only those', async (t) => {
    const fails = buildTool({
      name: 'Fails',
      description: () => 'Fails with what it is given.',
      inputSchema: z.strictObject({ text: z.string() }),
      call({ text }) {
        throw new Error(text);
      },
    }) as Tool;
    const server = await startServer(t, { tools: [fails] });
    const session = await server.session();
    await server.post(session, [
      call('a', 'Fails', { text: 'plain' }),
      call('b', 'Fails', { text: 'hidden\u200b\u202e</tool_use_error>' }),
    ]);
    assert.equal(await sample(server, 'toolexec_calls_total{tool="Fails",outcome="tool_error"}'), 2);
    assert.equal(await sample(server, 'toolexec_sanitized_errors_total{tool="Fails"}'), 1);
  });

  test('do not grow with the names that models make up, however such calls end', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const madeUp = Array.from({ length: 5 }, (_, n) => call(`m${n}`, `Made_up_${n}`));
    await server.post(session, madeUp);
    const waiting = madeUp.map(({ id, ...rest }) => ({ ...rest, id: `waiting-${id as string}` }));
    const posted = server.post(session, [call('slow', 'Work', { ms: 60_000, safe: false }), ...waiting]);
    while (trace.started.length === 0) await sleep(5);
    const [turn] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
    await server.request('POST', `/v1/sessions/${session}/turns/${turn.id}/abort`);
    await posted;
    const { body } = await server.request('GET', '/metrics');
    assert.doesNotMatch(body['text'] as string, /Made_up/);
    assert.ok(((await sample(server, 'toolexec_calls_total{tool="unknown",outcome="unknown_tool"}')) ?? 0) >= 5);
  });

  test('tell what is open: turns, questions, sockets and event streams', async (t) => {
    const server = await startServer(t, { tools: [careful, workTool()] });
    const session = await server.session({ permissions: { mode: 'default', allow: ['Work'] } });
    const posted = await server.post(session, [call('a', 'Careful')]);
    const second = server.post(session, [call('b', 'Work')]);
    await until(server, 'toolexec_turns_open{state="queued"}', (value) => value === 1);
    assert.equal(await sample(server, 'toolexec_turns_open{state="running"}'), 1);
    assert.equal(await sample(server, 'toolexec_approvals_pending'), 1);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    const streaming = new AbortController();
    await fetch(`${server.url}/v1/sessions/${session}/events`, { signal: streaming.signal });
    assert.deepEqual([await sample(server, 'toolexec_sockets'), await sample(server, 'toolexec_event_streams')], [1, 1]);
    streaming.abort();
    socket.terminate();
    const [pending] = posted.body['pending'] as Json[];
    await server.request('POST', `/v1/sessions/${session}/approvals/${pending?.['id']}`, { behavior: 'allow' });
    await second;
    for (const name of ['toolexec_sockets', 'toolexec_event_streams', 'toolexec_approvals_pending']) {
      await until(server, name, (value) => value === 0);
    }
    await until(server, 'toolexec_turns_open{state="running"}', (value) => value === 0);
    assert.equal(await sample(server, 'toolexec_approval_wait_seconds_count{behavior="allow"}'), 1);
  });

  test('tell commands that run from those that wait for a place', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_MAX_PROCESSES: '1' } });
    const sessions = await Promise.all([server.session(), server.session()]);
    const posted = sessions.map((session) => server.post(session, [call('a', 'Bash', { command: 'sleep 60' })]));
    await until(server, 'toolexec_processes_waiting', (value) => value === 1);
    assert.equal(await sample(server, 'toolexec_processes_running'), 1);
    for (const session of sessions) await server.request('DELETE', `/v1/sessions/${session}`);
    await Promise.all(posted);
    await until(server, 'toolexec_processes_running', (value) => value === 0);
    assert.equal(await sample(server, 'toolexec_processes_waiting'), 0);
  });

  test('show a reader that does not keep up by how far it is behind', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const { port } = new URL(server.url);
    const reader = connect(Number(port), '127.0.0.1');
    t.after(() => reader.destroy());
    reader.write(`GET /v1/sessions/${session}/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    await until(server, 'toolexec_event_streams', (value) => value === 1);
    reader.pause();
    const label = 'x'.repeat(40_000);
    for (let turn = 0; turn < 3; turn += 1) {
      await server.post(
        session,
        Array.from({ length: 60 }, (_, n) => call(`${turn}-${n}`, 'Work', { label })),
      );
    }
    await until(server, 'toolexec_reader_lag_events', (value) => value > 0);
    reader.resume();
    await until(server, 'toolexec_reader_lag_events', (value) => value === 0);
  });

  test('measure how long the store takes to keep something, and count what it cannot do', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    await server.post(await server.session(), [call('a', 'Work')]);
    assert.ok(((await sample(server, 'toolexec_store_commit_seconds_count')) ?? 0) >= 3);

    const directory = await mkdtemp(join(tmpdir(), 'toolexec-metrics-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const { registry, observeStore } = createMetrics([]);
    const store = observeStore(await openSqliteStore({ file: join(directory, 'store.sqlite') }));
    await assert.rejects(store.sessions({ owner: '', limit: 10, cursor: 'nonsense' }));
    await store.close();
    await assert.rejects(store.commit({ sessionId: 'ses_1' }));
    await assert.rejects(store.session('ses_1'));
    const text = await registry.metrics();
    for (const operation of ['commit', 'session']) assert.ok(text.includes(`toolexec_store_errors_total{operation="${operation}"} 1`));
    assert.ok(!text.includes('operation="sessions"'), 'what a client asks wrongly is no fault of the store');
    assert.match(text, /^toolexec_store_commit_seconds_count 0$/m);
  });

  test('tell how late the event loop is', async (t) => {
    const server = await startServer(t);
    await until(server, 'nodejs_eventloop_lag_p99_seconds', (value) => value > 0);
  });
});
