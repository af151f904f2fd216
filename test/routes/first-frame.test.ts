import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, startServer } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';

test('the first frame of a socket stays small beside a large input, whose whole the log has', async (t) => {
  const trace = newTrace();
  const server = await startServer(t, { tools: [workTool(trace)] });
  const session = await server.session();
  const label = 'x'.repeat(9_000_000);
  const posted = server.post(session, [call('a', 'Work', { ms: 60_000, label }), call('b', 'Work', { label: 'small' })]);
  await trace.until(() => trace.started.length > 0);
  const socket = await server.socket(`/v1/sessions/${session}/stream`);
  const hello = await socket.type('session');
  assert.ok(JSON.stringify(hello).length < 10_000);
  const [large, small] = hello['open_turns'][0].calls;
  assert.deepEqual([large.input.ms, large.input_shortened, large.input.label.endsWith('(9000000 characters)')], [60_000, true, true]);
  assert.deepEqual([small.input, small.input_shortened], [{ label: 'small' }, undefined]);
  const { body } = await server.request('GET', `/v1/sessions/${session}/events?after=1`, undefined, { accept: 'application/json' });
  assert.equal(body['data'].find((event: { type: string }) => event.type === 'call_queued').input.label, label);
  socket.terminate();
  await server.close();
  await posted;
});
