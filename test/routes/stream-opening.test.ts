import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, startServer, type Json } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';

const types = (frames: Json[]): unknown[] => frames.map(({ type }) => type);

describe('a socket that is opened', () => {
  for (const after of ['abc', '-1', '1.5', '7', '99999']) {
    test(`with ?after=${after}, which is not in the log, is told so, and then what happens from now on`, async (t) => {
      const server = await startServer(t, { tools: [workTool()] });
      const session = await server.session();
      await server.post(session, [call('a', 'Work')]);
      const socket = await server.socket(`/v1/sessions/${session}/stream?after=${after}`);
      const { problem } = await socket.type('error');
      assert.deepEqual(types(socket.frames), ['session', 'error']);
      assert.deepEqual([problem.type, problem.status], ['/problems/invalid-request', 400]);
      assert.ok(problem.detail.includes(after), problem.detail);
      await server.post(session, [call('b', 'Work')]);
      await socket.type('turn_completed');
      assert.equal(socket.frames[2]?.['seq'], 7);
    });
  }

  test('with the seq of the last event, or 0, is told what comes after it', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await server.post(session, [call('a', 'Work')]);
    const all = await server.socket(`/v1/sessions/${session}/stream?after=0`);
    const none = await server.socket(`/v1/sessions/${session}/stream?after=6`);
    await server.post(session, [call('b', 'Work')]);
    for (const socket of [all, none]) await socket.until(({ seq }) => seq === 12);
    assert.equal(all.frames.length, 13);
    assert.equal(none.frames.length, 7);
  });

  test('with a ref in its open frame gets the ack after the session, or the error', async (t) => {
    const server = await startServer(t);
    const socket = await server.socket('/v1/stream');
    socket.send({ type: 'open', ref: 'first' });
    assert.deepEqual((await socket.type('ack'))['ref'], 'first');
    assert.deepEqual(types(socket.frames), ['session', 'ack']);
    const wrong = await server.socket('/v1/stream');
    wrong.send({ type: 'open', session: { nope: 1 }, ref: 2 });
    assert.equal((await wrong.type('error'))['ref'], 2);
    assert.equal((await wrong.closed).code, 1008);
  });

  test('is not opened a second time, and stays open', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket('/v1/stream');
    socket.send({ type: 'open', session: { permissions: { mode: 'bypassPermissions' } } });
    socket.send({ type: 'open', ref: 1 });
    const { problem, ref } = await socket.type('error');
    assert.deepEqual([ref, problem.type], [1, '/problems/invalid-request']);
    assert.match(problem.detail, /open already/);
    assert.match(problem.instance, /./, 'the id under which the log of the service has it');
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: {} });
    socket.send({ type: 'end' });
    await socket.type('turn_completed');
  });

  test('for a session whose name is long and not there is closed with 4404 all the same', async (t) => {
    const server = await startServer(t);
    const socket = await server.socket(`/v1/sessions/${encodeURIComponent('é'.repeat(45))}/stream`);
    assert.equal((await socket.closed).code, 4404);
  });

  test('without an upgrade is answered with 426 and what to do', async (t) => {
    const server = await startServer(t);
    for (const path of ['/v1/stream', `/v1/sessions/${await server.session()}/stream`]) {
      const { status, headers, body } = await server.request('GET', path);
      assert.deepEqual([status, body['type'], headers.get('upgrade')], [426, '/problems/upgrade-required', 'websocket']);
      assert.equal((await server.request('GET', body['type'])).status, 200);
    }
  });
});

describe('an open turn', () => {
  test('is kept open by any frame of its client, also one that is wrong', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session({ execution: { input_idle_ms: 1_000 } })}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: {} });
    for (let n = 0; n < 5; n += 1) {
      await sleep(300);
      socket.send(n % 2 === 0 ? { type: 'cancel', tool_use_id: 'nope' } : 'not JSON');
    }
    socket.send({ type: 'end' });
    assert.equal((await socket.type('turn_completed'))['turn'].stop, null);
    assert.equal(socket.ofType('error').length, 5);
  });
});
