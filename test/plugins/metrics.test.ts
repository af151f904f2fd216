import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, startServer, type TestServer } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';

/** Value of a sample, or `undefined` where there is none. */
async function sample(server: TestServer, name: string): Promise<number | undefined> {
  const { body } = await server.request('GET', '/metrics');
  const line = (body['text'] as string).split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
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
      ['toolexec_sessions_in_memory', 1],
      ['toolexec_sockets', 0],
    ] as const) {
      assert.deepEqual([name, await sample(server, name)], [name, value]);
    }
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
});
