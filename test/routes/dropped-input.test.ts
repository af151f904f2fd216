// Input that breaks off: what had come whole runs, what had not is dropped, and the turn says why it ended.
import assert from 'node:assert/strict';
import { before, describe, test, type TestContext } from 'node:test';
import { call, startServer, type Json, type TestServer, type TestSocket } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

let server: TestServer;
before(async (t) => {
  const env = await withLimits(t as TestContext, { reconnect_ms: 100 });
  server = await startServer(t as TestContext, { tools: [workTool()], env });
});

const outcomes = ({ turn }: Json): string[] => turn.calls.map((one: Json) => `${one['tool_use_id']} ${one['outcome']}`);

/** A message of a model: one call is complete, another has only begun. */
function sendOneAndAHalf(socket: TestSocket): void {
  socket.send({ type: 'message_start', message: { role: 'assistant', content: [] } });
  for (const [index, id] of ['whole', 'half'].entries()) {
    socket.send({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'Work', input: {} } });
    socket.send({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: id === 'whole' ? '{}' : '{"la' } });
    if (id === 'whole') socket.send({ type: 'content_block_stop', index });
  }
}

describe('a message that breaks off', () => {
  test('with its socket ends when that does not come back', async () => {
    const session = await server.session();
    const [watching, dropped] = [
      await server.socket(`/v1/sessions/${session}/stream`),
      await server.socket(`/v1/sessions/${session}/stream`),
    ];
    sendOneAndAHalf(dropped);
    await watching.type('tool_result');
    assert.equal(watching.ofType('turn_completed').length, 0);
    dropped.terminate();
    const done = await watching.type('turn_completed');
    assert.deepEqual([done['turn'].stop, done['turn'].status, ...outcomes(done)], [{ reason: 'input_lost' }, 'completed', 'whole ok']);
  });

  test('with an error of the model itself ends at once, and the next message runs', async () => {
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    sendOneAndAHalf(socket);
    socket.send({ type: 'what_nobody_knows', more: 1 });
    socket.send({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    const done = await socket.type('turn_completed');
    assert.deepEqual([done['turn'].stop, ...outcomes(done)], [{ reason: 'input_lost' }, 'whole ok']);
    assert.deepEqual(socket.ofType('error'), [], 'what a model sends is not held against the client');
    const from = socket.frames.length;
    socket.send({ type: 'tool_use', ...call('next', 'Work') });
    socket.send({ type: 'end' });
    assert.deepEqual(outcomes(await socket.type('turn_completed', from)), ['next ok']);
  });
});

test('a call after the end of a turn opens the next one, and a message ends the turn before it', async () => {
  const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
  socket.send({ type: 'tool_use', ...call('a', 'Work') });
  socket.send({ type: 'end' });
  socket.send({ type: 'tool_use', ...call('b', 'Work') });
  socket.send({ type: 'message_start', message: {} });
  socket.send({ type: 'message_stop' });
  await socket.until(() => socket.ofType('turn_completed').length === 3);
  assert.deepEqual(socket.ofType('turn_completed').map(outcomes), [['a ok'], ['b ok'], []]);
  socket.send({ type: 'end', ref: 'late' });
  const { problem, ref } = await socket.type('error');
  assert.deepEqual([ref, problem.type], ['late', '/problems/turn-not-found']);
});

test('a session that a socket has made is there when the socket has gone', async () => {
  const socket = await server.socket('/v1/stream');
  socket.send({ type: 'open', session: { permissions: { mode: 'bypassPermissions' } } });
  const { session } = await socket.type('session');
  socket.terminate();
  await socket.closed;
  const next = await server.socket(`/v1/sessions/${session.id}/stream`);
  next.send({ type: 'tool_use', ...call('a', 'Work') });
  next.send({ type: 'end' });
  assert.deepEqual(outcomes(await next.type('turn_completed')), ['a ok']);
});
